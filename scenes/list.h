/* Every built-in scene; each is defined at the end of the file of its family. */
#ifndef RIGOR_SCENES_LIST_H
#define RIGOR_SCENES_LIST_H

#include "scenes/scene.h"

extern const Scene orbit_scene;
extern const Scene spring_scene;
extern const Scene projectile_scene;
extern const Scene torque_free_scene;
extern const Scene tumbling_box_scene;
extern const Scene heavy_top_scene;
extern const Scene bead_on_wire_scene;
extern const Scene pendulum_scene;
extern const Scene chain_scene;
extern const Scene hanging_chain_scene;
extern const Scene bridge_scene;
extern const Scene hinge_limit_scene;
extern const Scene servo_scene;
extern const Scene motor_scene;
extern const Scene ball_limit_scene;
extern const Scene prismatic_scene;
extern const Scene cylinder_scene;
extern const Scene joint_gallery_scene;
extern const Scene slider_crank_scene;
extern const Scene four_bar_scene;
extern const Scene ragdoll_scene;
extern const Scene cloth_scene;
extern const Scene soft_cube_scene;
extern const Scene bounce_scene;
extern const Scene cradle_scene;
extern const Scene collide2_scene;
extern const Scene incline_scene;
extern const Scene rolling_scene;
extern const Scene spinning_disc_scene;
extern const Scene stack_scene;
extern const Scene pyramid_scene;
extern const Scene arch_scene;
extern const Scene card_house_scene;
extern const Scene wall_scene;
extern const Scene dominoes_scene;
extern const Scene tilting_box_scene;
extern const Scene impact_rod_scene;
extern const Scene asteroids_scene;
extern const Scene pile_scene;
extern const Scene overlap_scene;
extern const Scene heavy_on_light_scene;
extern const Scene warm_start_kick_scene;

#endif
