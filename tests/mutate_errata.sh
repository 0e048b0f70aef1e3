#!/bin/sh
# Puts each misprint of reports/ERRATA.md back into a copy of the tree and demands that the test cited for it fails; and some
# misprints into a lecture text or its fast namesake, by turns: the test that holds them together must notice.
# A line: number ~ file ~ sed script ~ test program ~ test that must fail.
# usage: mutate_errata.sh SOURCE_ROOT [NUMBER...]
set -u
cd "$1" || exit 1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
table=$work/table
cat >"$table" <<'END'
1 ~ solvers/rows/point_prepare.h ~ s/Lanes before = points_approach(points, earlier);/Lanes before = lanes_dot(row_part(points->lanes, 0, 0), earlier[0].v) + lanes_dot(points->u[0], earlier[1].v);/ ~ solvers_contact_contract ~ no_impact_of_two_bodies_adds_energy
2 ~ model/block.c ~ s/vec3_scale(1.0 \/ length, span.d)/vec3(length, length, length)/ ~ model_block ~ jacobian_is_the_derivative_of_the_error
3 ~ solvers/rows/joint_rows.h ~ s/soft_joint.rate : setup->rate;/soft_joint.rate : setup->rate * setup->h;/ ~ solvers_pgs ~ exact_solve_leaves_the_velocity_asked_for
4 ~ solvers/rows/contact_rows.c ~ s/row->body) \* g \* h;/row->body) * g;/ ~ solvers_rows_contact_rows ~ the_box_bound_holds_at_40_degrees_where_the_cone_slips
5 ~ solvers/contact/frame.h ~ s/to\[1\] = lanes_cross(n, to\[0\]);/to[1] = lanes_negate(to[0]);/ ~ solvers_rows_contact_rows ~ warm_start_is_unchanged_when_the_tangents_turn
6 ~ solvers/pgs.c ~ s/\.rate = beta \/ h/.rate = beta/ ~ solvers_rows_contact_rows ~ baumgarte_leaves_one_minus_beta_of_an_overlap
6 ~ solvers/pgs.c ~ s/\.rate = beta \/ h/.rate = beta/ ~ solvers_pgs ~ baumgarte_decays_until_beta_is_2
7 ~ solvers/motion.c ~ s/if (gyroscopic == GYROSCOPIC_[IE][A-Z]*)/if (0)/ ~ solvers_motion ~ torque_free_body_flips_at_the_right_time
8 ~ model/world.h ~ s/world->mass\[body\].inv_inertia/world->mass[body].inertia/ ~ model_shape ~ turned_inertia_times_turned_inverse_is_one
9 ~ solvers/position/pair.h ~ s/both(-dlambda\[i\], /both(dlambda[i], / ~ solvers_position_based ~ both_ends_of_a_distance_move_towards_each_other
10 ~ solvers/position/position.c ~ s/(-e->C - a \* lambda)/(-e->C)/; s/vec3_negate(vec3_add_scaled(e->error, a, multiplier->lambda))/vec3_negate(e->error)/ ~ solvers_position_based ~ rest_stretch_is_m_g_alpha_for_any_iterations_and_substeps
11 ~ solvers/position/position.c ~ s/how->stiffness \* //g ~ solvers_position_based ~ pbd_stiffness_depends_on_iterations
12 ~ model/block.c ~ s/return vec3_dot(gradient\[3\], e4) - block->seat->rest;/return (vec3_dot(gradient[3], e4) - block->seat->rest) \/ 6.0;/ ~ model_block ~ volume_force_is_the_gradient_of_its_energy
13 ~ model/mesh.c ~ s/- S->m\[i\]\[j\];/- (i == 2 \&\& j == 2 ? S->m[0][0] : S->m[i][j]);/ ~ model_shape ~ turned_and_offset_mesh_of_a_box_has_the_boxs_mass_properties
14 ~ solvers/motion.c ~ s/{0.0, 0.5, 0.5, 1.0, 0.0}/{0.0, 0.5, 0.5, 0.5, 0.0}/ ~ solvers_motion ~ rk4_keeps_the_parabola_exact
15 ~ solvers/systems/lagrange.c ~ s/width1 \* sp, \*B = two->B\[j\] + width2 \* sq/width1 * sq, *B = two->B[j] + width2 * sp/ ~ solvers_kkt ~ two_link_chain_is_one_6x6_system
16 ~ solvers/systems/kkt_matrix.c ~ s/lambda\[i\] = -matrix->b/lambda[i] = matrix->b/ ~ solvers_systems_kkt_matrix ~ the_whole_matrix_solves_the_equations_of_motion
17 ~ solvers/rows/point_prepare.h ~ s/C \/ setup->h, bias)/lanes_all(0.0), bias)/ ~ solvers_lcp ~ a_box_falling_above_the_floor_feels_no_force
18 ~ solvers/rows/contact_rows.c ~ s/2.0 \/ 3.0 \* block->seat->patch_radius/block->seat->patch_radius/ ~ solvers_rows_contact_patch ~ a_patch_brakes_spin_with_two_thirds_mu_n_r
20 ~ solvers/motion.c ~ s/quat_rotate(q, spin_implicit(mass->inertia, w_body, torque_body, h))/spin_implicit(mass->inertia, w, torque, h)/ ~ solvers_motion ~ free_body_in_its_own_frame_accelerates_by_minus_w_cross_v
22 ~ tests/drive.c ~ s/dt \/ drive->substeps/dt/ ~ solvers_position_based ~ substeps_beat_iterations_on_the_ten_mass_chain
23 ~ solvers/position/pair.h ~ s/both(-dlambda\[i\], dlambda/both(dlambda[i], -dlambda/ ~ solvers_contract ~ every_joint_type_is_held_together
24 ~ model/block.c ~ s/e->C = atan2(sine, cosine) - terms->upper;/e->C = terms->upper - atan2(sine, cosine);/ ~ model_block_error ~ limit_correction_turns_back_to_the_limit
25 ~ model/block.c ~ s/range_error(terms, twist, /range_error(terms, sin(twist), / ~ solvers_position_based ~ servo_170_degrees_away_arrives
26 ~ model/block.c ~ s/    double wrapped = 2.0 \* atan2(.*/    Vec3 a1 = block_axis1(world, block), a2 = block_axis2(world, block), n = vec3_unit(vec3_add(a1, a2)), b1 = quat_rotate(block_quat1(world, block), block->seat->normal[0]), b2 = quat_rotate(block_quat1(world, block), quat_rotate(turn, block->seat->normal[0])); b1 = vec3_add_scaled(b1, -vec3_dot(n, b1), n); b2 = vec3_add_scaled(b2, -vec3_dot(n, b2), n); double wrapped = atan2(vec3_dot(n, vec3_cross(b1, b2)), vec3_dot(b1, b2));/ ~ model_block_error ~ twist_is_exact_under_swing_where_the_slide_distorts_it
27 ~ model/block.c ~ s/row_linear(rows->J\[i\], u, vec3_add(span.r1, span.d), span.r2)/row_linear(rows->J[i], u, span.r1, span.r2)/ ~ model_block ~ jacobian_is_the_derivative_of_the_error
28 ~ model/joint.c ~ s/\*force = vec3_scale(given_or/*force = vec3_scale(-given_or/ ~ model_joint_motion ~ actuators_act_along_body_1s_axis_on_body_2
29 ~ solvers/motion.c ~ s/impulse = -part \* speed/impulse = part * speed/ ~ solvers_motion ~ damping_takes_relative_velocity_away
29 ~ solvers/motion.c ~ s/impulse = -part \* spin/impulse = part * spin/ ~ solvers_motion ~ angular_damping_follows_one_minus_c_h
30 ~ solvers/motion.c ~ s/Vec3 a = vec3_add_scaled(world_field(world, pose->x), mass->inv_mass,/Vec3 a = vec3_add_scaled(world_field(world, pose->x), mass->inv_mass \/ (h * h),/ ~ solvers_motion ~ cylinder_force_gives_impulse_f_dt_on_both_bodies
31 ~ solvers/motion.c ~ s/fmin(damping.angular_rate \* h, most)/fmin(damping.angular_rate, most)/ ~ solvers_motion ~ angular_damping_follows_one_minus_c_h
32 ~ solvers/position/pair.h ~ s/both_times(lambda, pair->mass.inv_mass)/both_times(lambda, both_plus(pair->mass.inv_mass, both_dot(row->moment, row->turn)))/ ~ solvers_contract ~ internal_constraints_keep_momentum
33 ~ solvers/motion.h ~ s/quat_mul(quat_exp(vec3_scale(h, w)), q)/quat_mul((Quat){1.0, 0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z}, q)/ ~ solvers_motion ~ free_sphere_keeps_its_spin
34 ~ solvers/position/pair.h ~ s/^        pair_set_frames(pair);/{ BothPose now = pair->pose; pair->pose = both_gather_poses(world->pose_before, body); pair_set_frames(pair); pair->pose = now; }/ ~ solvers_position_based ~ a_correction_knows_how_the_body_is_turned_now
35 ~ model/shape.c ~ s/I = 0.4 \* m/I = 2.0 \/ 3.0 * m/ ~ model_shape ~ sphere_has_two_fifths_m_r_squared
36 ~ solvers/systems/complementarity.c ~ s/complementarity_bind(lcp, row + 1, row, rb->mu)/complementarity_bind(lcp, row + 1, row, 0.0)/ ~ solvers_lcp ~ a_block_slips_beyond_the_friction_angle
37 ~ solvers/motion.c ~ s/world_point_velocity(world, body\[i\], arm\[i\])/vec3_add(world->velocity[body[i]].v, vec3_cross(arm[i], world->velocity[body[i]].w))/ ~ solvers_motion ~ damping_takes_the_anchors_velocity_along_the_line
38 ~ solvers/motion.c ~ s/    Pose start = \*pose;/    Pose start = *pose; pose->x = VEC3_ZERO;/ ~ solvers_motion ~ rk4_keeps_the_parabola_exact
39 ~ solvers/naive/pairwise.c ~ s/rubbing->share \* change/rubbing->share * (1.0 + rb->restitution) * change/ ~ solvers_impact ~ a_naive_bounce_does_not_throw_the_slip_back
40 ~ solvers/motion.c ~ s/vec3_add_scaled(base.x, h, vec3_sub(u.v, u_base.v))/vec3_add_scaled(base.x, 1.0, vec3_sub(u.v, u_base.v))/ ~ solvers_motion ~ semi_implicit_fall_is_low_by_g_h_t_over_2
41 ~ solvers/order/schedule.c ~ s/used |= to->taken\[body\[k\]\];/used |= 0;/ ~ solvers_order_colour ~ a_chain_has_two_colours_every_other_link
42 ~ model/row.h ~ s/vec3_negate(c1), u, c2/c1, u, c2/ ~ model_block ~ jacobian_is_the_derivative_of_the_error
43 ~ solvers/motion.h ~ s/quat_exp(vec3_scale(h, w))/quat_exp(vec3_scale(0.0 * h, w))/ ~ solvers_motion ~ carried_momentum_is_kept_to_round_off_and_energy_to_second_order
XPBD-1 ~ solvers/position/point.h ~ s/-lanes_choose((LaneMask)(most < stop), most, stop)/-lanes_choose((LaneMask)(most < speed), most, speed) \/ pair_weight(pair, \&row)/ ~ solvers_position_contact ~ dynamic_friction_is_mu_n_whatever_the_mass
XPBD-2 ~ solvers/position/contact_kernel.h ~ s/lanes_norm(lambda) > limit/lanes_norm(gather_multipliers(multipliers, block)) > limit/ ~ solvers_position_contact ~ static_friction_takes_all_of_the_slip_or_nothing
LECTURE-1 ~ solvers/lecture/pgs.c ~ s/own->lambda\[i\] - own->step\[i\] \* r/own->lambda[i] + own->step[i] * r/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-2 ~ solvers/lecture/pgs.c ~ s/pgs->rows.of\[b\].lambda\[i\], step->world->velocity/0.0, step->world->velocity/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-3 ~ solvers/lecture/pgs.c ~ s/hypot(size, length \/ arm)/size/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-4 ~ solvers/rows/point_prepare.h ~ s/rubs, along, none)/rubs, 0.5 * along, none)/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-5 ~ solvers/rows/contact_rows.c ~ s/to.torque \*= scale;/to.torque *= 1.0;/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-6 ~ solvers/rows/joint_rows.c ~ s/soft = compliance \/ (setup->h \* setup->h)/soft = compliance \/ setup->h/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-7 ~ solvers/lecture/xpbd.c ~ s/(w + a \* n2)/(w + 2.0 * a * n2)/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-11 ~ solvers/lecture/xpbd.c ~ s/(-C - a \* lambda)/(-C)/ ~ lecture_texts ~ more_sweeps_are_the_same_too
LECTURE-8 ~ solvers/lecture/pbd.c ~ s/-fmin(most, 1.0 \/ w)/-fmin(most, 0.5 \/ w)/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-9 ~ solvers/position/patch.c ~ s/2.0 \/ 3.0 \* block->seat->patch_radius/block->seat->patch_radius/ ~ lecture_texts ~ one_substep_of_a_text_is_one_of_its_namesake
LECTURE-10 ~ solvers/position/contact_kernel.h ~ s/bounced = -e \* before/bounced = -2.0 * e * before/ ~ lecture_texts ~ whole_runs_agree_where_nothing_is_chaotic
END

# A copy, built once; a mutation then compiles one file and links one test.
copy=$work/tree
mkdir "$copy"
git ls-files | tar -cf - -T - | tar -xf - -C "$copy"
cd "$copy" || exit 1
CFLAGS= meson setup build --buildtype=debug -Doptimization=1 -Dpage=disabled >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }

# A test's program: solvers_kkt is tests/solvers/test_solvers_kkt.
program() { echo "tests/${1%%_*}/test_$1"; }

bad=0 tried=0
while read -r line; do
    field() { echo "$line" | awk -F' ~ ' -v i="$1" '{ print $i }'; }
    number=$(field 1) file=$(field 2) script=$(field 3) suite=$(field 4) name=$(field 5)
    [ $# = 0 ] || case " $* " in *" $number "*) ;; *) continue ;; esac
    tried=$((tried + 1))
    test=$(program "$suite")
    cp "$file" "$work/saved"
    sed -i "$script" "$file"
    if cmp -s "$file" "$work/saved"; then
        verdict="STALE: $file no longer has this formula"
    elif ! ninja -C build "$test" >"$work/log" 2>&1; then
        verdict="DOES NOT COMPILE: $(grep -m 1 error "$work/log")"
    elif CMOCKA_MESSAGE_OUTPUT=stdout timeout 300 "build/$test" >"$work/log" 2>&1; then
        verdict="NOT NOTICED"
    elif grep -q "FAILED.*$name" "$work/log"; then
        verdict=fails
    elif grep -q "FAILED" "$work/log"; then
        verdict="ANOTHER TEST FAILS: $(grep -m 1 -o 'FAILED.*' "$work/log")"
    else
        verdict="DID NOT END WELL: $(tail -n 1 "$work/log")"
    fi
    cp "$work/saved" "$file"
    echo "$number: $name: $verdict"
    [ "$verdict" = fails ] || bad=$((bad + 1))
done <"$table"
echo "$tried misprints put back, $((tried - bad)) noticed by the test cited for them"
[ "$bad" = 0 ]
