// The parts of the Order view: each draws itself into the room it is given.
#pragma once

#include "core/figure/saturation_panels.h"
#include "core/order/equivariance.h"
#include "core/order/place_rules.h"
#include "core/order/shown_order.h"

#include <memory>
#include <string>

namespace heed {

void add_permutation_page(const PanelPen& pen, Rect room);
void add_encoding_page(const PanelPen& pen, Rect room);
void add_embedding_scale_page(const PanelPen& pen, Rect room);

// Parts of the permutation's page.
//
// Tokens in their new order, each a handle {"chip", token} that is dragged along the others, and what the permutation is in one
// line. Returns the height used.
float add_token_chips(const PanelPen& pen, const ShownOrder& order, Rect room, int most_rows);
// A(X), P·A(X)·Pᵀ, A(PX) and their difference, under one crosshair.
// Returns the height used.
float add_order_maps(const PanelPen& pen, const ShownOrder& order, const std::shared_ptr<const MovedWeights>& moved,
                     Rect room);
// What they would use of this room, without drawing.
float order_maps_height(const PanelPen& pen, const ShownOrder& order, const std::shared_ptr<const MovedWeights>& moved,
                        Rect room);
// The number that matters and what it means. Returns the height used; draws nothing where `is_drawn` is off.
float add_verdict(const PanelPen& pen, const ShownOrder& order, const MovedWeights& moved, const RuleEffects& effects,
                  Rect room, bool is_drawn);
// A bar for everything that knows of places; each row is a button {"rule", id} that switches it in the scene.
void add_rules(const PanelPen& pen, const ShownOrder& order, const RuleEffects& effects, Rect room);
// P itself, and what it does to the rows and columns of a 3 × 3 matrix.
void add_matrix_of_order(const PanelPen& pen, const ShownOrder& order, Rect room);
float three_by_three_least(const PanelPen& pen);  // the height below which there is no room for it
void add_three_by_three(const PanelPen& pen, const ShownOrder& order, Rect room);

// Amber: where an identity is broken there is something to see, and nothing is wrong.
Color broken_color(const Palette& colors);

// "6.0e−8", "0.65": a difference as a number with two digits at least, 0 where it is exactly that.
std::string difference_text(const Equivariance& measured);
std::string difference_text(double difference);

}  // namespace heed
