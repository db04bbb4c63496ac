// Every view of the window, in the order of their tabs: one declaration and one row each.
#include "app/views/view.h"

namespace heed::app {

// Each in the file of its name.
View pipeline_view();
View heads_view();
View flow_view();
View contribution_view();
View saturation_view();
View gradients_view();
View order_view();
View geometry_view();
View cost_view();
View block_view();
View picture_view();
View compare_view();

namespace {

View in(ViewGroup group, View view) {
    view.group = group;
    return view;
}

}  // namespace

std::span<const View> views() {
    using enum ViewGroup;
    static const View table[] = {
        in(what_happens, pipeline_view()),
        in(what_happens, heads_view()),
        in(what_happens, flow_view()),
        in(what_happens, contribution_view()),
        in(why, saturation_view()),
        in(why, gradients_view()),
        in(why, order_view()),
        in(why, geometry_view()),
        in(why, cost_view()),
        in(around_it, block_view()),
        in(around_it, picture_view()),
        in(compared, compare_view()),
    };
    return table;
}

}  // namespace heed::app
