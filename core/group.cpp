#include "core/group.h"

#include "core/display/block_display.h"
#include "core/display/cells_display.h"
#include "core/display/contribution_display.h"
#include "core/display/cost_display.h"
#include "core/display/flow_display.h"
#include "core/display/geometry_display.h"
#include "core/display/gradients_display.h"
#include "core/display/heads_display.h"
#include "core/display/order_display.h"
#include "core/display/picture_display.h"
#include "core/display/pipeline_display.h"
#include "core/display/reach_display.h"
#include "core/display/saturation_display.h"
#include "core/model/depth.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/picture.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

namespace heed {

template <typename Value>
Group<Value>::Group() : value_(new Value()) {}

template <typename Value>
Group<Value>::Group(const Group& other) : value_(new Value(*other.value_)) {}

template <typename Value>
Group<Value>& Group<Value>::operator=(const Group& other) {
    if (this != &other) *value_ = *other.value_;
    return *this;
}

template <typename Value>
Group<Value>::~Group() {
    delete value_;
}

template <typename Value>
bool Group<Value>::operator==(const Group& other) const {
    return *value_ == *other.value_;
}

template class Group<MaskSettings>;
template class Group<ScaleSettings>;
template class Group<PositionSettings>;
template class Group<NormalizerSettings>;
template class Group<Picture>;
template class Group<Depth>;
template class Group<CellsDisplay>;
template class Group<PipelineDisplay>;
template class Group<HeadsDisplay>;
template class Group<FlowDisplay>;
template class Group<ContributionDisplay>;
template class Group<SaturationDisplay>;
template class Group<GradientsDisplay>;
template class Group<OrderDisplay>;
template class Group<GeometryDisplay>;
template class Group<CostDisplay>;
template class Group<PictureDisplay>;
template class Group<BlockDisplay>;
template class Group<ReachDisplay>;

}  // namespace heed
