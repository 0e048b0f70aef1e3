/* SPDX-License-Identifier: MIT */
/* The named variants, and how one becomes a Solver: the backend with another name and a table of settings whose
 * defaults are the variant's. */
#include "solvers/variants.h"

#include <stdlib.h>
#include <string.h>

/* Those after solver2d differ from it in this: friction is a cone in 3D; contacts are looked for as --detect says, not
 * within 0.02 m as a frame begins (look_ahead); restitution, which solver2d has none of, is Box2D v3's where rows
 * are soft, else part of a contact's row. A manifold of pgs_ngs_block has up to four points, whose matrix is singular
 * and softened by 1e-6. How far they are solver2d's, tests/originals says. */
const Variant all_variants[] = {
    {"pgs_block", "pgs", "manifold=true", "pgs with the normals of one pair of bodies solved together",
     "lecture 001; block solve after Box2D", true},
    {"pgs_lecture", "pgs", "manifold=false:friction=box:slop=0:push_speed=inf",
     "the slide to the letter: every row by itself, friction box mu m_c g", "lecture 001; Catto 2005", true},
    {"pbd_stick", "pbd", "contact=stick:push_speed=2:restitution_threshold=0.05",
     "pbd with static friction before the normals, a system a manifold, against the last substep's load", NULL, true},
    {"xpbd_stick", "xpbd", "contact=stick:push_speed=2:restitution_threshold=0.05",
     "xpbd with static friction before the normals, a system a manifold, against the last substep's load", NULL, true},
    {"xpbd_grip", "xpbd", "iterations=16:contact=stick:push_speed=2:restitution_threshold=0.05",
     "xpbd_stick with 16 iterations: what joints and contacts undo of a held slip is held again; with one a rod "
     "pinched between guided pads sinks at 9.5 mm/s",
     NULL, false},
    {"pbd_approach", "pbd", "contact=approach",
     "pbd whose contacts bounce by the speed before the position solve, so that none is dropped", NULL, false},
    {"xpbd_approach", "xpbd", "contact=approach",
     "xpbd whose contacts bounce by the speed before the position solve, so that none is dropped", NULL, false},
    {"pgs_soft", "pgs",
     "iterations=4:relax=2:relax_at=begin:normals_first=true:slop=0:contact_hertz=30:contact_zeta=10:"
     "contact_cap=0.333:joint_hertz=60:joint_zeta=10:joint_cap=0.5:push_speed=2:restitution=frame:"
     "restitution_threshold=1:block=true:axial=first:limit_slip=true:levers=frame:contact_point=midway",
     "soft rows, then sweeps without errors after the move", "after Catto 2011 and solver2d, in 3D", false},
    {"tgs_soft", "pgs",
     "substeps=4:iterations=1:relax=1:normals_first=true:slop=0:contact_hertz=30:contact_zeta=10:contact_cap=0.25:"
     "joint_hertz=60:joint_zeta=10:joint_cap=0.125:push_speed=4:restitution=frame:restitution_threshold=1:"
     "block=true:axial=first:limit_slip=true:masses=contacts:contact_point=midway",
     "small steps of soft rows, each relaxed", "after solver2d, in 3D; Catto 2011; Macklin et al. 2019", false},
    {"soft_step", "pgs",
     "substeps=4:iterations=1:relax=1:normals_first=true:slop=0:contact_hertz=30:contact_zeta=10:contact_cap=0.25:"
     "joint_hertz=60:joint_zeta=10:joint_cap=0.25:push_speed=2:levers=frame:restitution=frame:"
     "restitution_threshold=1:block=true:axial=first:limit_slip=true:contact_point=midway",
     "tgs_soft with the lever arms of the frame's beginning, and restitution after its substeps",
     "after solver2d and Box2D v3, in 3D; Catto 2011", false},
    {"pgs_ngs", "pgs",
     "iterations=4:normals_first=true:friction_first=true:position=ngs:position_iterations=2:ngs_share=0.2:"
     "ngs_most=0.2:ngs_only_push=true:push_speed=inf:block=true:axial=first:exact_turns=true:levers=frame:"
     "contact_point=midway",
     "sweeps for velocities, then sweeps for positions", "after solver2d and Box2D 2, in 3D", false},
    {"pgs_ngs_block", "pgs",
     "iterations=4:manifold=true:enumerate=true:friction_first=true:position=ngs:position_iterations=2:"
     "ngs_share=0.2:ngs_most=0.2:ngs_only_push=true:push_speed=inf:block=true:axial=first:exact_turns=true:"
     "levers=frame:contact_point=midway",
     "pgs_ngs with the normals of one pair of bodies solved together, for velocities and for positions",
     "after solver2d and Box2D 2, in 3D", false},
    {"tgs_ngs", "pgs",
     "substeps=4:iterations=1:normals_first=true:position=ngs:position_iterations=1:ngs_share=0.2:ngs_most=0.2:"
     "ngs_only_push=true:push_speed=inf:block=true:axial=first:exact_turns=true:masses=frame:contact_point=midway",
     "small steps, each with a sweep for velocities and one for positions", "after solver2d, in 3D", false},
    {"jacobi", "pgs",
     "iterations=4:relax=2:relax_at=begin:order=jacobi:normals_first=true:slop=0:contact_hertz=30:contact_zeta=10:"
     "contact_cap=0.333:joint_hertz=60:joint_zeta=10:joint_cap=0.5:push_speed=4:restitution=frame:"
     "restitution_threshold=1:block=true:axial=first:limit_slip=true:levers=frame:contact_point=midway",
     "pgs_soft with all pairs that touch solved at once, unscaled; joints stay Gauss-Seidel",
     "after solver2d, in 3D; Catto 2011", false},
    {"pgs_solver2d", "pgs",
     "iterations=4:push_speed=4:normals_first=true:block=true:axial=first:look_ahead=0.02:levers=frame:contact_point="
     "midway",
     "pgs as solver2d has it: all normals of a pair before its friction, points of joints as one system",
     "after solver2d, in 3D", false},
    {"xpbd_solver2d", "xpbd",
     "substeps=4:push_speed=4:exact_turns=true:no_axial=true:normals_first=true:push_all=true:contact_point=midway:"
     "look_ahead=0.02",
     "xpbd as solver2d has it: bodies turn by the whole angle; neither motors nor limits", "after solver2d, in 3D",
     false},
    {"tgs_sticky_solver2d", "tgs_sticky",
     "axial=first:relax_slip=true:slip_renews=false:share_least=2:contact_point=midway:look_ahead=0.02",
     "tgs_sticky as solver2d has it, with contacts midway and its slip in relaxing joints", "after solver2d, in 3D",
     false},
    {"avbd_demo", "avbd", "per_kg=false:demo_contacts=true",
     "avbd with the penalties and contacts of its authors' demo", "Giles, Diaz, Yuksel 2025: avbd-demo2d, in 3D",
     false},
    {"avbd_demo_post", "avbd", "post_stabilise=true:per_kg=false:demo_contacts=true",
     "avbd_post with the penalties and contacts of its authors' demo", "Giles, Diaz, Yuksel 2025: avbd-demo2d, in 3D",
     false},
    {"avbd_post", "avbd", "post_stabilise=true",
     "avbd as its authors' demo has it: errors wait, and one last sweep takes them back", "Giles, Diaz, Yuksel 2025",
     false},
    {"vbd", "avbd", "dual=false:alpha=0:penalty_min=1e6",
     "plain block descent: body by body, constant penalties, no multipliers", "Chen, Liu, Yang, Yuksel 2024", false},
    {"kkt_contact", "direct_contact", "level=acceleration",
     "direct_contact at acceleration level: closed contacts keep their gap's rate, impacts apart", "lecture 003",
     false},
    {"xpbd_block", "xpbd", "block=true", "xpbd with the rows of a joint's block solved together", NULL, false},
};

const int variant_count = sizeof all_variants / sizeof all_variants[0];

bool variant_is_form(const Solver *solver)
{
    for (int i = 0; i < variant_count; i++)
        if (all_variants[i].form && strcmp(all_variants[i].name, solver->name) == 0)
            return true;
    return false;
}

/* The solver comes first: a pointer to it is a pointer to all. */
typedef struct OwnedVariant {
    Solver solver;
    char *name, *summary, *reference, *sets;
    Setting *settings;
} OwnedVariant;

void variant_destroy(Solver *solver)
{
    OwnedVariant *own = (OwnedVariant *)solver;
    if (!own)
        return;
    free(own->name);
    free(own->summary);
    free(own->reference);
    free(own->sets);
    free(own->settings);
    free(own);
}

/* `key=value`: the value becomes the default. */
static bool variant_set(OwnedVariant *own, char *assignment, Status *status)
{
    _Alignas(16) unsigned char values[SETTINGS_MAX_BYTES];
    char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment || !equals[1])
        return status_set(status, STATUS_USAGE, "'%s' is not of the form key=value", assignment);
    *equals = '\0';
    for (int i = 0; i < own->solver.setting_count; i++) {
        Setting *setting = &own->settings[i];
        if (strcmp(setting->name, assignment) != 0)
            continue;
        if (!setting_parse(setting, values, equals + 1, status))
            return false;
        setting->initial = setting_get(setting, values);
        return true;
    }
    return status_set(status, STATUS_USAGE, "solver %s has no option '%s'", own->solver.variant_of->name, assignment);
}

static bool variant_set_all(OwnedVariant *own, const char *options, Status *status)
{
    char *text = strdup(options);
    bool ok = text || status_set(status, STATUS_FAILED, "out of memory");
    for (char *rest = text, *colon; ok && rest; rest = colon ? colon + 1 : NULL) {
        colon = strchr(rest, ':');
        if (colon)
            *colon = '\0';
        ok = variant_set(own, rest, status);
    }
    free(text);
    return ok;
}

/* What a variant of a variant sets: what that one does, then its own. */
static char *joined(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 2;
    char *text = malloc(size);
    if (text) {
        strcpy(text, first);
        strcat(text, first[0] ? ":" : "");
        strcat(text, second);
    }
    return text;
}

static bool variant_copy(OwnedVariant *own, const Solver *of, const Variant *variant)
{
    size_t bytes = sizeof *own->settings * (size_t)of->setting_count;
    own->name = strdup(variant->name);
    own->summary = strdup(variant->summary ? variant->summary : of->summary);
    own->reference = strdup(variant->source ? variant->source : of->reference);
    own->sets = joined(of->sets ? of->sets : "", variant->options);
    own->settings = malloc(bytes);
    if (!own->name || !own->summary || !own->reference || !own->sets || !own->settings)
        return false;
    memcpy(own->settings, of->settings, bytes);
    own->solver = *of;
    own->solver.name = own->name;
    own->solver.summary = own->summary;
    own->solver.reference = own->reference;
    own->solver.settings = own->settings;
    own->solver.variant_of = solver_backend(of);
    own->solver.sets = own->sets;
    return true;
}

Solver *variant_create(const Solver *of, const Variant *variant, Status *status)
{
    OwnedVariant *own = calloc(1, sizeof *own);
    bool ok = own && variant_copy(own, of, variant);
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    if (ok && variant_set_all(own, variant->options, status))
        return &own->solver;
    variant_destroy(own ? &own->solver : NULL);
    return NULL;
}
