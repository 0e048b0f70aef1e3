/* SPDX-License-Identifier: MIT */
/* Numbers side by side, a lane each: one double, or four in one AVX register or two of SSE or NEON. A kernel is written
 * once over Lanes and LaneMask; LANES says how wide it is compiled, four where nobody says. Each lane is summed in the
 * order that is written, so it has the same bits at every width and on every processor.
 *
 * How wide. A text that runs at both widths is a header; `one_lane.c` of its folder is "#define LANES 1" and it, and
 * `four_lanes.c` is it alone. What it shows to others is named LANE_NAME(f): f_one, or f.
 *
 * Which processor. On x86-64 the files that meson.build lists as `..._lanes` are compiled once more, for AVX2. Such a
 * file shows nothing but functions defined as
 *     LANE_CHOICE(f)                       after f's prototype in a header: the loader picks one
 *     int LANE_BODY(f)(double x) { ... }   f for this processor
 * Elsewhere, and under sanitizers, LANE_BODY(f) is f itself. Files that hold more than kernels mark single functions
 * with LANE_VERSIONS instead, which GCC alone compiles for AVX2, too. */
#ifndef RIGOR_MODEL_LANES_H
#define RIGOR_MODEL_LANES_H

#include "model/math3.h"

#include <stddef.h>

#ifndef LANES
#define LANES 4
#endif

/* Whatever is inlined is compiled for its caller's processor. How it would be called otherwise does not matter. */
#define LANE_INLINE static inline __attribute__((always_inline))
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Masks of one lane are truth values, and combined as those of four are. */
#ifdef __clang__
#if __has_warning("-Wbitwise-instead-of-logical")
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif
#endif

#if defined(LANES_HAVE_AVX2) && !defined(LANES_FOR_AVX2) && !defined(__clang__)
#define LANE_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define LANE_VERSIONS
#endif

/* Before a loop over lanes: so its numbers stay in registers. */
#define LANE_UNROLL _Pragma("GCC unroll 4")

#define LANE_JOIN_(a, b) a##b
#define LANE_JOIN(a, b) LANE_JOIN_(a, b)
#if LANES == 1
#define LANE_NAME(f) LANE_JOIN(f, _one)
#else
#define LANE_NAME(f) f
#endif

#if defined(LANES_FOR_AVX2) /* this is the second of two compilations */
#define LANE_BODY(f) LANE_JOIN(LANE_NAME(f), _avx2)
#define LANE_CHOICE(f) __typeof__(LANE_NAME(f)) LANE_BODY(f);
#elif defined(LANES_HAVE_AVX2) /* this is the first */
#define LANE_BODY(f) LANE_JOIN(LANE_NAME(f), _plain)
#define LANE_CHOICE(f) LANE_CHOICE_(LANE_NAME(f))
#define LANE_CHOICE_(f) LANE_CHOICE__(f)
#define LANE_CHOICE__(f)                                                                                               \
    __typeof__(f) f##_plain, f##_avx2;                                                                                 \
    static __attribute__((used)) __typeof__(f) *f##_choose(void)                                                       \
    {                                                                                                                  \
        __builtin_cpu_init();                                                                                          \
        return __builtin_cpu_supports("avx2") ? f##_avx2 : f##_plain;                                                  \
    }                                                                                                                  \
    __typeof__(f) f __attribute__((ifunc(#f "_choose")));
#else
#define LANE_BODY(f) LANE_NAME(f)
#define LANE_CHOICE(f)
#endif

/* Four doubles, and two. No other file of this tree has types that are vectors. */
typedef double Lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long LaneMask4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Lanes2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long LaneMask2 __attribute__((vector_size(16), aligned(8), may_alias));

/* Bounds of four bodies, and what comes of comparing them. */
typedef float Float4 __attribute__((vector_size(16)));
typedef int Int4 __attribute__((vector_size(16)));
typedef unsigned Unsigned4 __attribute__((vector_size(16)));

/* {f(0), f(1), ...}: of each lane. */
#if LANES == 1
typedef double Lanes;
typedef bool LaneMask;
#define LANE_EACH(f, ...)                                                                                              \
    {                                                                                                                  \
        f(0, __VA_ARGS__)                                                                                              \
    }
#else
typedef Lanes4 Lanes;
typedef LaneMask4 LaneMask; /* all bits or none; (LaneMask)(a < b) */
#define LANE_EACH(f, ...)                                                                                              \
    {                                                                                                                  \
        f(0, __VA_ARGS__), f(1, __VA_ARGS__), f(2, __VA_ARGS__), f(3, __VA_ARGS__)                                     \
    }
#endif

/* Of pointers p[LANES]: p->field of each, and where it stands. */
#define LANE_FIELD_(i, p, field) (p)[i]->field
#define LANE_PLACE_(i, p, field) &(p)[i]->field
#define LANE_FIELDS(p, field) ((Lanes)LANE_EACH(LANE_FIELD_, p, field))
#define LANE_PLACES(p, field) ((const double *[])LANE_EACH(LANE_PLACE_, p, field))

/* The same number in each lane; and |x|. */
#if LANES == 1
LANE_INLINE Lanes lanes_all(double x)
{
    return x;
}

LANE_INLINE Lanes lanes_abs(Lanes x)
{
    return fabs(x);
}

LANE_INLINE Lanes lanes_sqrt(Lanes x)
{
    return sqrt(x);
}

/* One lane's number, or its bit. */
LANE_INLINE double lane(Lanes x, int i)
{
    (void)i;
    return x;
}

LANE_INLINE void lane_set(Lanes *x, int i, double value)
{
    (void)i;
    *x = value;
}

LANE_INLINE bool mask_lane(LaneMask mask, int i)
{
    (void)i;
    return mask;
}

LANE_INLINE LaneMask mask_not(LaneMask mask)
{
    return !mask;
}

LANE_INLINE bool mask_all(LaneMask mask)
{
    return mask;
}

LANE_INLINE bool mask_any(LaneMask mask)
{
    return mask;
}

LANE_INLINE int mask_count(LaneMask mask)
{
    return mask;
}

/* The first `count` lanes. */
LANE_INLINE LaneMask mask_first(int count)
{
    return count > 0;
}

/* mask ? a : b, lane by lane */
LANE_INLINE Lanes lanes_choose(LaneMask mask, Lanes a, Lanes b)
{
    return mask ? a : b;
}

/* Where mask is not, zero. */
LANE_INLINE Lanes lanes_where(LaneMask mask, Lanes a)
{
    return mask ? a : 0.0;
}

#else

LANE_INLINE Lanes lanes_all(double x)
{
    return (Lanes){x, x, x, x};
}

LANE_INLINE Lanes lanes_abs(Lanes x)
{
    const long long bits = 0x7fffffffffffffff;
    return (Lanes)((LaneMask)x & (LaneMask){bits, bits, bits, bits});
}

LANE_INLINE Lanes lanes_sqrt(Lanes x)
{
    return (Lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

LANE_INLINE double lane(Lanes x, int i)
{
    return x[i];
}

LANE_INLINE void lane_set(Lanes *x, int i, double value)
{
    (*x)[i] = value;
}

LANE_INLINE bool mask_lane(LaneMask mask, int i)
{
    return mask[i] != 0;
}

LANE_INLINE LaneMask mask_not(LaneMask mask)
{
    return ~mask;
}

LANE_INLINE bool mask_all(LaneMask mask)
{
#ifdef __AVX__
    return __builtin_ia32_movmskpd256((Lanes)mask) == 0xf;
#else
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
#endif
}

LANE_INLINE bool mask_any(LaneMask mask)
{
#ifdef __AVX__
    return __builtin_ia32_movmskpd256((Lanes)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

LANE_INLINE int mask_count(LaneMask mask)
{
    return -(int)(mask[0] + mask[1] + mask[2] + mask[3]);
}

LANE_INLINE LaneMask mask_first(int count)
{
    return (LaneMask){0, 1, 2, 3} < (long long)count;
}

LANE_INLINE Lanes lanes_choose(LaneMask mask, Lanes a, Lanes b)
{
    return (Lanes)(((LaneMask)a & mask) | ((LaneMask)b & ~mask));
}

LANE_INLINE Lanes lanes_where(LaneMask mask, Lanes a)
{
    return (Lanes)((LaneMask)a & mask);
}
#endif

/* LANES numbers that stand one after the other. */
LANE_INLINE Lanes lanes_load(const double *p)
{
    return *(const Lanes *)p;
}

LANE_INLINE void lanes_store(double *p, Lanes x)
{
    *(Lanes *)p = x;
}

/* Lane i of x[j] becomes lane j of x[i]. */
LANE_INLINE void lanes4_turn(Lanes4 x[4])
{
    Lanes4 even01 = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
           odd01 = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    Lanes4 even23 = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
           odd23 = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

/* Four numbers at each lane's p, number by number; and back. */
LANE_INLINE void lanes_gather(const double *const p[LANES], Lanes x[4])
{
#if LANES == 1
    x[0] = p[0][0], x[1] = p[0][1], x[2] = p[0][2], x[3] = p[0][3]; /* a loop would go through memory */
#else
    LANE_UNROLL
    for (int i = 0; i < 4; i++)
        x[i] = lanes_load(p[i]);
    lanes4_turn(x);
#endif
}

LANE_INLINE void lanes_scatter(double *const p[LANES], Lanes x0, Lanes x1, Lanes x2, Lanes x3)
{
#if LANES == 1
    p[0][0] = x0, p[0][1] = x1, p[0][2] = x2, p[0][3] = x3;
#else
    Lanes x[4] = {x0, x1, x2, x3};
    lanes4_turn(x);
    LANE_UNROLL
    for (int i = 0; i < 4; i++)
        lanes_store(p[i], x[i]);
#endif
}

#endif
