// Order: what happens to attention when tokens change places, and how places get in at all.
#include "core/display/order_display.h"
#include "core/figure/order_panels.h"
#include "core/figure/page.h"

namespace heed {

Figure order_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const PanelPen pen{figure, context};
    const Rect room = pen.frame_page();
    switch (context.display.order->panel) {
        case OrderPanel::permutation:
            add_permutation_page(pen, room);
            break;
        case OrderPanel::encoding:
            add_encoding_page(pen, room);
            break;
        case OrderPanel::scale:
            add_embedding_scale_page(pen, room);
            break;
    }
    return figure;
}

}  // namespace heed
