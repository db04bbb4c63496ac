// A figure with every kind of mark, and matrices that tell rows from columns.
#pragma once

#include "core/figure/figure.h"

namespace heed::app {

// rows × cols, different in every cell: row + col / 10, so that a swapped index shows.
Matrix counting_matrix(Index rows, Index cols);

// 1 where the column is not above the row.
MaskView causal_view(Index rows, Index cols);

// An `area` of heatmap over counting_matrix(rows, cols), its scale from 0 to rows.
HeatmapMark counting_heatmap(Index rows, Index cols, Rect area);

Figure demo_figure(Theme theme = Theme::light);

}  // namespace heed::app
