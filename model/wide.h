/* Four doubles at a time: two SSE registers or one AVX register; each lane's sum is the same either way. */
#ifndef RIGOR_MODEL_WIDE_H
#define RIGOR_MODEL_WIDE_H

#include "model/math3.h"

/* Functions that exist twice, for AVX2 and for any x86; the loader picks. Elsewhere one version serves. And functions
 * that are called only where wide_is_one_register. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define WIDE_VERSIONS __attribute__((target_clones("avx2", "default")))
#define WIDE_ALONE __attribute__((target("avx2")))
#else
#define WIDE_VERSIONS
#define WIDE_ALONE
#endif
#define WIDE_INLINE static inline __attribute__((always_inline))

/* Whether four doubles are one register here. Where they are two, code that holds many of them may be slower than code
 * that takes one after the other. */
WIDE_INLINE bool wide_is_one_register(void)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Its functions are always inlined: how one would be called does not matter. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef double Wide __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long WideMask __attribute__((vector_size(32), aligned(8), may_alias));

WIDE_INLINE Wide wide_load(const double *p)
{
    return *(const Wide *)p;
}

WIDE_INLINE void wide_store(double *p, Wide x)
{
    *(Wide *)p = x;
}

WIDE_INLINE Wide wide_all(double x)
{
    return (Wide){x, x, x, x};
}

WIDE_INLINE Wide wide_abs(Wide x)
{
    const long long bits = 0x7fffffffffffffff;
    return (Wide)((WideMask)x & (WideMask){bits, bits, bits, bits});
}

/* mask ? a : b, lane by lane */
WIDE_INLINE Wide wide_choose(WideMask mask, Wide a, Wide b)
{
    return (Wide)(((WideMask)a & mask) | ((WideMask)b & ~mask));
}

/* Lanes 0 to 2, turned in a ring by one place, and by two. */
WIDE_INLINE Wide wide_next(Wide x)
{
    return __builtin_shufflevector(x, x, 1, 2, 0, 3);
}

WIDE_INLINE Wide wide_after_next(Wide x)
{
    return __builtin_shufflevector(x, x, 2, 0, 1, 3);
}

/* x u + y v + z w, summed in this order. */
WIDE_INLINE Wide wide_combine(double x, Wide u, double y, Wide v, double z, Wide w)
{
    return wide_all(x) * u + wide_all(y) * v + wide_all(z) * w;
}

/* A vector. What follows it in memory is loaded, and not used, as the fourth lane: another number must be there. */
WIDE_INLINE Wide wide_vec3(const Vec3 *a)
{
    return wide_load(&a->x);
}

/* Likewise, the other way: what follows it in memory is written over. */
WIDE_INLINE void wide_store_vec3(Vec3 *a, Wide x)
{
    wide_store(&a->x, x);
}

/* The three rows of a matrix; likewise. */
typedef struct WideRows {
    Wide row[3];
} WideRows;

WIDE_INLINE WideRows wide_rows(const Mat3 *m)
{
    return (WideRows){{wide_load(m->m[0]), wide_load(m->m[1]), wide_load(m->m[2])}};
}

/* M^T a: the products of the columns with a vector. */
WIDE_INLINE Wide wide_columns_dot(const WideRows *m, Vec3 a)
{
    return wide_combine(a.x, m->row[0], a.y, m->row[1], a.z, m->row[2]);
}

/* Lane i of x[j] becomes lane j of x[i]. */
WIDE_INLINE void wide_turn(Wide x[4])
{
    Wide even01 = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
         odd01 = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    Wide even23 = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
         odd23 = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

#endif
