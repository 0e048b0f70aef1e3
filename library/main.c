/* SPDX-License-Identifier: MIT */
/* The program is the library's. */
#include "library/rigor.h"

int main(int argc, char **argv)
{
    return rigor_main(argc, argv);
}
