// A trace computed beside the window comes with all that its picture reads off it: the frame that shows it draws alone.
#include "app/views/view.h"
#include "core/edit/sizes.h"
#include "core/layers.h"
#include "core/model/depth.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

// Two layers, too slow for a frame.
Scene slow_scene(std::string_view view) {
    Scene scene = default_scene();
    Model& model = scene.model;
    model.source = Source::projected;
    model.n_queries = 96;
    model.n_heads = model.n_kv_heads = 8;
    model.d_k = model.d_v = 64;
    model.score = "cosine";
    model.depth->residual = true;
    allow_depth(model);
    set_layers(model, 2);
    fit_matrices(model);
    scene.display.view = view;
    return scene;
}

TEST(PictureInAdvance, LeavesTheFrameNothingToReadOffANewTrace) {
    std::size_t kept = 0;
    for (const View& view : views()) {
        SCOPED_TRACE(view.id);
        Session session;
        session.figure_width = 1000;
        session.figure_height = 700;
        Document document(slow_scene(view.id));
        document.settle();
        document.prepare_with(picture_in_advance(session));
        document.next().model.temperature = 0.5F;
        document.end_frame(false);
        ASSERT_TRUE(document.is_computing()) << "it is computed in the frame";
        document.settle();
        const std::size_t in_advance = session.results->entries();
        kept += in_advance;

        FigureContext context{.model = document.layer(),
                              .trace = document.trace(),
                              .display = document.scene().display,
                              .trace_owner = document.shared_trace(),
                              .measure = rough_measure(),
                              .width = session.figure_width,
                              .height = session.figure_height,
                              .results = session.results.get()};
        context.options.title = false;
        (void)find_figure_kind(view.id)->make(context);
        EXPECT_EQ(session.results->entries(), in_advance);
    }
    EXPECT_GT(kept, views().size());
}

TEST(PictureInAdvance, HoldsUpNothingWhereItFails) {
    Document document(slow_scene("heads"));
    document.settle();
    document.prepare_with([](const Scene&, const auto&) { throw std::bad_alloc(); });
    document.next().model.temperature = 0.5F;
    document.settle();
    EXPECT_EQ(document.scene().model.temperature, 0.5F);
    EXPECT_TRUE(document.refusal().empty());
}

}  // namespace
}  // namespace heed::app
