/* SPDX-License-Identifier: MIT */
/* The kernels for one unit at a time. */
#define LANES 1
#include "solvers/position/contact_kernel.h"
#include "solvers/position/joint_kernel.h"
#include "solvers/position/stick_normals_kernel.h"
#include "solvers/position/stick_tangents_kernel.h"
#include "solvers/position/stick_velocity_kernel.h"
