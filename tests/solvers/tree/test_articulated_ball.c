/* The recursion of balls, which no parts of other joints share, held against Newton's and Euler's laws in long double:
 * a chain that ends in a heavy link is where sums cancel most. */
#include "solvers/tree/articulated.h"
#include "tests/solvers/mechanisms.h"

#include <float.h>

enum { LINKS = 100 };

typedef struct Long3 {
    long double x, y, z;
} Long3;

static Long3 long3(const double a[3])
{
    return (Long3){a[0], a[1], a[2]};
}

static Long3 long3_from(Vec3 a)
{
    return (Long3){a.x, a.y, a.z};
}

static Long3 long3_add(Long3 a, Long3 b)
{
    return (Long3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a x b */
static Long3 long3_cross(Long3 a, Long3 b)
{
    return (Long3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* p + m a */
static Long3 long3_push(const double p[3], double m, Long3 a)
{
    return (Long3){p[0] + m * a.x, p[1] + m * a.y, p[2] + m * a.z};
}

/* p + I a */
static Long3 long3_turn(const double p[3], const Mat3 *inertia, Long3 a)
{
    const double(*m)[3] = inertia->m;
    return (Long3){p[0] + m[0][0] * a.x + m[0][1] * a.y + m[0][2] * a.z,
                   p[1] + m[1][0] * a.x + m[1][1] * a.y + m[1][2] * a.z,
                   p[2] + m[2][0] * a.x + m[2][1] * a.y + m[2][2] * a.z};
}

/* Rods on balls, the last of them `ratio` times as heavy, each turned against the one before and spinning. */
static World *heavy_chain(Articulated *tree, Motion *motion, Random *random, double ratio)
{
    World *world = mechanism_rods(LINKS, 0.2, false);
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Mass *last = &world->mass[LINKS];
    Status status = {0};
    last->mass *= ratio;
    last->inv_mass /= ratio;
    last->inertia = vec3_scale(ratio, last->inertia);
    last->inv_inertia = vec3_scale(1.0 / ratio, last->inv_inertia);
    assert_true(articulated_init(tree, world) && motion_init(motion, world, &options) &&
                articulated_connect(tree, world, &status));
    for (int i = 0; i < LINKS; i++) {
        LinkState *state = link_state(&tree->links[i], tree->state);
        double angle = random_in(random, -0.5, 0.5);
        state->turn = quat_axis_angle(random_unit(random), angle);
        state->spin = random_vec3(random, 2.0);
        assert_true(tree->links[i].ball);
    }
    articulated_place(tree, tree->state, world);
    return world;
}

/* The moments that the joints would have to give for the accelerations w' to be right, from Newton and Euler:
 *     a = a_parent + w'_parent x s + u + arm x w',   F = m a + p + F_child,
 *     moment = I w' + p + moment_child + s_child x F_child - arm x F. */
static void find_moments(const Articulated *tree, Vec3 *moment)
{
    Long3 a[LINKS], from = {0}, turn = {0}, F = {0}, T = {0};
    for (int i = 0; i < LINKS; i++) {
        const Link *link = &tree->links[i];
        Long3 arm = long3_from(link->arm), s = long3_add(long3_from(link->r), arm);
        Long3 anchor = long3_add(long3_add(from, long3_cross(turn, s)), long3(link->c + 3));
        turn = long3(link->A);
        a[i] = from = long3_add(anchor, long3_cross(arm, turn));
    }
    for (int i = LINKS - 1; i >= 0; i--) {
        const Link *link = &tree->links[i];
        Long3 arm = long3_from(link->arm), s = long3_add(long3_from(link->r), arm);
        F = long3_add(F, long3_push(link->p + 3, link->mass, a[i]));
        T = long3_add(T, long3_turn(link->p, &link->inertia, long3(link->A)));
        T = long3_add(T, long3_cross(F, arm));
        moment[i] = vec3((double)T.x, (double)T.y, (double)T.z);
        T = long3_add(T, long3_cross(s, F));
    }
}

static double largest_turn(const Articulated *tree)
{
    double largest = 0.0;
    for (int i = 0; i < LINKS; i++)
        largest = fmax(largest, vec3_norm(vec3(tree->links[i].A[0], tree->links[i].A[1], tree->links[i].A[2])));
    return largest;
}

/* The error of w' as a share of the largest. The equations are linear: it is what takes the moments back. */
static double turn_error(Articulated *tree, Motion *motion, const World *world)
{
    Velocity alone[LINKS + 1];
    Vec3 moment[LINKS];
    motion_accelerations(motion, world, 0.0, alone);
    articulated_load(tree, alone);
    articulated_solve(tree);
    double turn = largest_turn(tree);
    find_moments(tree, moment);
    articulated_unload(tree);
    for (int i = 0; i < LINKS; i++)
        for (int k = 0; k < 3; k++)
            tree->links[i].given[k] = -vec3_get(moment[i], k);
    articulated_solve(tree);
    return largest_turn(tree) / turn;
}

static void a_heavy_chain_accelerates_as_in_long_double(void **state)
{
    (void)state;
    Random random = {0xba11};
    for (int trial = 0; trial < 15; trial++) {
        double ratio = pow(1000.0, trial % 3);
        Articulated tree;
        Motion motion;
        World *world = heavy_chain(&tree, &motion, &random, ratio);
        double error = turn_error(&tree, &motion, world);
        /* Each link rounds. And what a heavy link lets go is the difference of inertias that are larger by the ratio of
         * masses, and by up to 3 (0.2 / 0.05)^2 for a rod's inertia about its end over that along it. */
        double most = DBL_EPSILON * (2 * LINKS + 50 * ratio);
        if (error > most)
            fail_msg("masses 1:%g: error %.2g, more than %.2g", ratio, error, most);
        motion_free(&motion);
        articulated_free(&tree);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_chain_accelerates_as_in_long_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
