/* SPDX-License-Identifier: MIT */
#include "bench/reality/phenomena/measures.h"
#include "bench/reality/phenomena/phenomena.h"

const Phenomenon all_phenomena[] = {
    {"oblique", "1", "a ball strikes at a slant and slides: dv_t / (mu (1+e) v_n), the worst of 41 phases", 0.99, 1.01,
     measure_oblique},
    {"bounces", "1",
     "a ball dropped with e 0.7: its fifth landing over t1 (1 + 2 e + .. + 2 e^4), the worst of 11 heights", 0.995,
     1.005, measure_bounces},
    {"rod_end", "1", "a rod strikes with one end: how fast the other becomes, 3/2 of the fall; the worst of 11 heights",
     1.485, 1.515, measure_rod_end},
    {"roll", "1", "a ball that slides, then rolls: speed over 5/7 v0", 0.995, 1.005, measure_roll},
    {"roll_way", "1", "the way until it rolls, over 12 v0^2 / (49 mu g)", 0.995, 1.005, measure_roll_way},
    {"slip_decay", "1", "a box that slides to rest: way over v^2 / (2 mu g)", 0.99, 1.01, measure_slip_decay},
    {"slide", "deg", "a box on a slope, mu 0.5, gives way at atan(mu) = 26.57 degrees", 26.465, 26.665, measure_slide},
    {"tip", "deg", "a box of 0.5 by 1 on a slope, mu 2, tips at atan(b/h) = 26.57 degrees", 26.465, 26.665,
     measure_tip},
    {"pinch", "um/s", "a rod pinched with 60 times the friction it needs: how fast it sinks", -1.0, 1.0, measure_pinch},
    {"painleve", "1", "a rod driven into the floor by friction, mu 1.6, tan 2: energy from nowhere, of the scale",
     -1e-9, 0.01, measure_painleve},
    {"euler_disc", "1", "a disc that rolls on its rim: Omega^2 sin(alpha) over 4 g / a", 0.98, 1.02,
     measure_euler_disc},
    {"dominoes", "1", "a row of dominoes: V / sqrt(g H) at ten times the size, or the mass, over that of the first",
     0.995, 1.005, measure_dominoes},
    {"arch", "1",
     "an arch of 15 wedges falls below t/R = 0.106068 (Milankovitch's line of thrust): the thickness, over that", 0.99,
     1.01, measure_arch},
    {"chain_weight", "1", "a chain falls onto scales, which show 3 times the weight that lies there", 2.85, 3.15,
     measure_chain_weight},
    {"chain_tip", "1",
     "the end of a folded chain falls faster than g: its way over g t^2 / 2 (40 beads 1.16, a chain without width "
     "1.24)",
     1.01, 1.3, measure_chain_tip},
    {"cradle", "1", "five balls in a row, struck by a sixth, e 1: momentum lost, over what came", -1e-9, 1e-9,
     measure_cradle},
};
const int phenomenon_count = sizeof all_phenomena / sizeof all_phenomena[0];
