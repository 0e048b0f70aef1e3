/* The built-in scenes in the order in which they are listed. A new scene is one file and one line here. */
#include "scenes/list.h"

/* clang-format off */
const Scene *const all_scenes[] = {
    &orbit_scene,
    &spring_scene,
    &projectile_scene,
    &torque_free_scene,
    &tumbling_box_scene,
    &heavy_top_scene,
    &bead_on_wire_scene,
    &pendulum_scene,
    &chain_scene,
    &hanging_chain_scene,
    &bridge_scene,
    &hinge_limit_scene,
    &servo_scene,
    &motor_scene,
    &ball_limit_scene,
    &prismatic_scene,
    &cylinder_scene,
    &joint_gallery_scene,
    &slider_crank_scene,
    &four_bar_scene,
    &cloth_scene,
    &soft_cube_scene,
};
/* clang-format on */

const int scene_count = sizeof all_scenes / sizeof all_scenes[0];
