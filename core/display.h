// How a scene is shown: saved with it, not undone. Language and theme belong to the program, not to a scene.
#pragma once

#include "core/analysis/loss.h"
#include "core/cell.h"

#include <string>
#include <vector>

namespace heed {

enum class CellStyle { colour, dots };  // dots: area by weight, for black-and-white print

struct PipelineDisplay {
    std::vector<std::string> folded = {"masked"};  // ids of stages that are folded away
    int explainer_step = 5;                        // how far the cell explainer has been stepped, 1–5
    friend bool operator==(const PipelineDisplay&, const PipelineDisplay&) = default;
};

enum class HeadOrder { number, entropy, distance, peak, first_token, diagonal, previous_token };
enum class HeadsDetail { head, mean, max, winner };  // what the large map shows
enum class FlowDirection { query, key };             // who does it look at, or who looks at it

struct HeadsDisplay {
    HeadOrder sort = HeadOrder::number;
    HeadsDetail detail = HeadsDetail::head;
    friend bool operator==(const HeadsDisplay&, const HeadsDisplay&) = default;
};

struct FlowDisplay {
    float mass = 0.7F;       // show the strongest links of each query until this share is covered
    bool all_heads = false;  // every head in its colour, or the shown one
    bool arcs = false;       // one line with arcs instead of two columns; self-attention only
    FlowDirection direction = FlowDirection::query;  // whose links a pinned token shows
    friend bool operator==(const FlowDisplay&, const FlowDisplay&) = default;
};

struct ContributionDisplay {
    bool by_row = true;  // what a weight carries as a share of its row, or α·‖v‖ as it is
    friend bool operator==(const ContributionDisplay&, const ContributionDisplay&) = default;
};

enum class SaturationPanel { scores, twins, curves, phase, temperature, numerics };
enum class GradientOf { scaled, raw, both };  // the score that ‖J‖ is taken with respect to
enum class PhaseColour { entropy, gradient };

struct SaturationDisplay {
    SaturationPanel panel = SaturationPanel::curves;
    int keys = 8;  // of the random rows, 2–64
    GradientOf gradient_of = GradientOf::scaled;
    PhaseColour phase = PhaseColour::entropy;
    bool own_scores = false;   // the phase map from the scene's scores instead of random ones
    float largest_score = 12;  // where Numerics looks at the formats, 1–10,000
    friend bool operator==(const SaturationDisplay&, const SaturationDisplay&) = default;
};

enum class GradientsPanel { jacobian, backward, recurrence };

struct GradientsDisplay {
    GradientsPanel panel = GradientsPanel::backward;
    LossKind loss = LossKind::component;
    int component = 0;    // of the pinned query's output; clamped to the width where it is used
    bool tanh = false;    // the recurrent net: tanh, or linear
    float radius = 0.9F;  // its spectral radius, 0.5–1.5
    friend bool operator==(const GradientsDisplay&, const GradientsDisplay&) = default;
};

struct Display {
    std::string view = "pipeline";  // a row of the view registry
    int head = 0;                   // the head shown in Pipeline
    bool pinned = true;
    Cell pin;                            // the pinned cell; clamped to the sizes where it is used
    bool keys_down = false;              // convention: off, rows are queries; on, columns are queries
    std::string sequential_map = "ink";  // for weights; a row of color_maps()
    std::string diverging_map = "blue-orange";
    bool log_scale = false;  // weights on a logarithmic colour scale
    bool numbers = true;     // in cells, where they fit
    CellStyle cell_style = CellStyle::colour;
    PipelineDisplay pipeline;
    HeadsDisplay heads;
    FlowDisplay flow;
    ContributionDisplay contribution;
    SaturationDisplay saturation;
    GradientsDisplay gradients;
    friend bool operator==(const Display&, const Display&) = default;
};

}  // namespace heed
