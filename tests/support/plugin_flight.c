/* SPDX-License-Identifier: MIT */
/* The flight solver as a plug-in; FLIGHT_ABI lets a second build claim another ABI. */
#include "tests/support/flight.h"

const Solver rigor_solver = FLIGHT_SOLVER(FLIGHT_ABI);
