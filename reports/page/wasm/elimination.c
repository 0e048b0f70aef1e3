/* SPDX-License-Identifier: MIT */
/* The order of loops where there is no SuiteSparse: our own minimum degree. */
#include "solvers/linear/block_ldl.h"

bool block_ldl_eliminate_rest(BlockLdl *ldl)
{
    return block_ldl_eliminate_by_degree(ldl);
}
