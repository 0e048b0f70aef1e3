/* Contacts of the `stick` form of the position-based backends: a manifold at a time, static friction before the
 * normals.
 *
 *     tangents   the slip of all points since the substep began is taken back at once, (J M^-1 J^T) dlambda = -C over
 *                their tangents, and each point keeps what the load it carried in the last substep allows
 *     normals    0 <= lambda, J M^-1 J^T dlambda + C >= 0, one of them equal at every point
 *     velocity   sliding   p_t = -v_t/|v_t| min(mu N - |p_static|, |v_t| / w),   N = lambda_n / h + what the stop adds
 *                normal    v_n -> 0; never by more than it takes back N.   Restitution comes after it: bounce.h. */
#ifndef RIGOR_SOLVERS_POSITION_STICK_H
#define RIGOR_SOLVERS_POSITION_STICK_H

#include "model/contact.h"

/* Of the length scale. A point whose load moves its bodies by less carries nothing: what is left of a load that was
 * given back shrinks by ten decades a substep, and would be a row until it underflows. */
#define STICK_LOAD_NONE 1e-20

/* Of the tangents' diagonal: one part in a hundred of a slip is left. */
#define STICK_SOFTENED 1e-2

/* The tangents of a manifold. */
enum { STICK_MAX = 2 * MANIFOLD_MAX };

#endif
