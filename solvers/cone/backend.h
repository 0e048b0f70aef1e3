#ifndef X_BACKEND
#define X_BACKEND
#include "solvers/cone/method.h"
#include <math.h>
typedef struct NewtonOptions { int sweeps; } NewtonOptions;
#define CONE_BACKEND(name,...) extern const ConeMethod *const scratch_##name; const ConeMethod *const scratch_##name = &SCRATCH_M;
#endif
