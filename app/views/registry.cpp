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
View reach_view();
View compare_view();

std::span<const View> views() {
    static const View table[] = {
        pipeline_view(),  heads_view(), flow_view(),     contribution_view(), saturation_view(),
        gradients_view(), order_view(), geometry_view(), cost_view(),         reach_view(),
        compare_view(),
    };
    return table;
}

}  // namespace heed::app
