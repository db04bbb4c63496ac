#include "app/session.h"

namespace heed::app {

namespace {
Language current_language = Language::english;
}

void set_language(Language language) { current_language = language; }

std::string_view tr(std::string_view english) { return heed::tr(current_language, english); }

std::string label(std::string_view english) { return std::string(tr(english)) + "###" + std::string(english); }

}  // namespace heed::app
