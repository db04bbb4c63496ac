#include "app/session.h"

#include "app/told.h"
#include "core/told_error.h"

namespace heed::app {

namespace {
Language current_language = Language::english;
}

void set_language(Language language) { current_language = language; }

std::string_view tr(std::string_view english) { return heed::tr(current_language, english); }

std::string told(std::string_view error) { return told_error(current_language, error); }

std::string label(std::string_view english) { return std::string(tr(english)) + "###" + std::string(english); }

}  // namespace heed::app
