/* Older names of model/lanes.h. */
#ifndef RIGOR_MODEL_WIDE_H
#define RIGOR_MODEL_WIDE_H

#include "model/lane_row.h"

#define WIDE_VERSIONS LANE_VERSIONS
#define WIDE_INLINE LANE_INLINE

#define Wide Lanes4
#define WideMask LaneMask4
#define wide_load lanes_load
#define wide_store lanes_store
#define wide_all lanes_all
#define wide_abs lanes_abs
#define wide_choose lanes_choose
#define wide_turn lanes4_turn
#define wide_next lane_row_next
#define wide_after_next lane_row_after_next
#define wide_combine lane_row_combine
#define wide_vec3 lane_row
#define wide_store_vec3 lane_row_store
#define WideRows LaneRows
#define wide_rows lane_rows
#define wide_columns_dot lane_rows_columns_dot

#endif
