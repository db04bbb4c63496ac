#include "app/jobs/job.h"

namespace heed::app {

Error out_of_memory() { return Error{"There is not enough memory for this"}; }

Error failed_with(const char* what) {
    return Error{*what == '\0' ? std::string("This could not be done")
                               : "This could not be done (" + std::string(what) + ")"};
}

}  // namespace heed::app
