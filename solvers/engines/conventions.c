/* SPDX-License-Identifier: MIT */
#include "solvers/engines/conventions.h"

#define CONTACTS(law, normals, order, slop, push, restitution, warm)                                                   \
    {                                                                                                                  \
        {CONVENTION_LAW, NULL, NULL, law}, {CONVENTION_NORMALS, NULL, NULL, normals},                                  \
            {CONVENTION_ORDER, NULL, NULL, order}, {CONVENTION_SLOP, NULL, NULL, slop},                                \
            {CONVENTION_PUSH, NULL, NULL, push}, {CONVENTION_RESTITUTION, NULL, NULL, restitution},                    \
            {CONVENTION_WARM_START, NULL, NULL, warm},                                                                 \
    }

const Convention ode_quick_contacts[] =
    CONTACTS("pyramid of 4 facets along two directions of the engine's choice", "by row",
             "each tangent by itself, against the load at that moment of the sweep", "{surface_layer} m",
             "baumgarte, {erp} of it a step, {push_speed} m/s at most",
             "Newton, in the normal's row; above {restitution_threshold} m/s", "nothing");

const Convention ode_step_contacts[] =
    CONTACTS("pyramid of 4 facets along two directions of the engine's choice",
             "all rows of an island together, by Dantzig's pivoting",
             "after the normals, against the load that they had without friction", "{surface_layer} m",
             "baumgarte, {erp} of it a step, {push_speed} m/s at most",
             "Newton, in the normal's row; above {restitution_threshold} m/s", "nothing: the solve is direct");

const Convention bullet_contacts[] = CONTACTS(
    "one tangent, along the slip: |lambda_t| <= mu lambda_n", "by row, point after point",
    "after all normals of the sweep", "{slop} m",
    "{contact_erp} of it a step, deep overlap in velocities of its own: {split_impulse}; no bound",
    "Newton, in the normal's row; above {restitution_threshold} m/s", "normals, {warm_start} of the last step's");

const Convention bullet_multibody_contacts[] =
    CONTACTS("within mu lambda_n; directions as the engine chooses", "by row, point after point", "after the normals",
             "0 m", "{contact_erp} of it a step; no bound",
             "Newton, in the normal's row; above {restitution_threshold} m/s", "as the engine has it");

const Convention chipmunk_contacts[] =
    CONTACTS("one tangent, in the plane: |lambda_t| <= mu lambda_n", "by row, point after point",
             "with its normal, both from the same velocity", "{slop} m",
             "in velocities of its own, all but {bias} of it in a second; no bound",
             "Newton, in the normal's row; no threshold", "normals and tangents");

const Convention jolt_contacts[] =
    CONTACTS("cone: |lambda_t| <= mu lambda_n", "by row, point after point",
             "before the normals of its pair, both tangents at once, against the load so far", "{slop} m",
             "after the step, in {position_iterations} sweeps, {baumgarte} of it each, 0.2 m at most",
             "Newton, in the normal's row; above {restitution_threshold} m/s", "normals and tangents: {warm_start}");

const Convention rapier_contacts[] = CONTACTS(
    "cone at one centre of a pair's points, not at each point; about the normal a twist, within mu lambda_n times "
    "the points' distances from there",
    "by row, soft", "after the normals of its pair, both tangents at once, then the twist",
    "0 m: {slop} m is the engine's own tolerance, and no depth that is left",
    "by springs of {contact_frequency} 1/s; the engine's own bound", "Newton; no threshold of ours",
    "normals and tangents");

const Convention mujoco_contacts[] =
    CONTACTS("{cone}, convex relaxation: a sliding contact lifts off", "all rows of the world together, soft",
             "with the normals, in the same problem", "0 m",
             "by its reference acceleration: {solref_time} s, damping ratio {solref_damping}; no bound",
             "none: a scene that asks for it is refused", "the last step's accelerations");

const Convention physx_contacts[] =
    CONTACTS("cone at two anchors of a patch, not at each point", "by row, point after point",
             "after the normals of its pair, against their load, in the last 3 position sweeps and all velocity sweeps",
             "0 m", "{push_speed} m/s at most", "Newton, in the normal's row; above {restitution_threshold} m/s",
             "the anchors of friction; no impulses");

const Convention physx_tgs_contacts[] =
    CONTACTS("cone at two anchors of a patch, not at each point", "by row, point after point",
             "after the normals of its pair, against their load, in every sweep", "0 m", "{push_speed} m/s at most",
             "Newton, in the normal's row; above {restitution_threshold} m/s", "the anchors of friction; no impulses");

const Convention box2d_contacts[] = CONTACTS(
    "one tangent, in the plane: |lambda_t| <= mu lambda_n", "by row, soft",
    "after the normals of its pair, against their load", "0 m",
    "by springs of {contact_hertz} 1/s, damping ratio {contact_damping}, {push_speed} m/s at most; then relaxed",
    "Newton, after the step; above {restitution_threshold} m/s", "normals and tangents");

const Convention havok_contacts[] = CONTACTS("not published", "not published", "not published", "not published",
                                             "not published", "not published", "not published");

const Convention cannon_contacts[] =
    CONTACTS("box: each tangent within mu m g h of the pair's reduced mass, whatever the load", "by row, regularised",
             "in the same sweep, each tangent by itself", "0 m",
             "by springs of {stiffness} N/m, in about {relaxation} steps; no bound",
             "Newton, in the normal's row; no threshold", "nothing");
