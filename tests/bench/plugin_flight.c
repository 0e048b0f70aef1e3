/* SPDX-License-Identifier: MIT */
/* The flight solver as a plug-in; FLIGHT_ABI lets a second build claim another ABI. */
#include "tests/bench/flight.h"

const Solver rigor_solver = FLIGHT_SOLVER(FLIGHT_ABI);
