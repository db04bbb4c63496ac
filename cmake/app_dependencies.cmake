# The libraries of the program, besides ImGui, as one target.

set(OpenGL_GL_PREFERENCE GLVND)
find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)
find_package(glfw3 3.3 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(PNG REQUIRED)
find_package(GIF REQUIRED)
find_package(Freetype REQUIRED)
find_package(Fontconfig REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(PANGO REQUIRED IMPORTED_TARGET pangocairo pangoft2 cairo cairo-ft)
pkg_check_modules(FRIBIDI REQUIRED IMPORTED_TARGET fribidi)

add_library(heed_app_dependencies INTERFACE)
target_link_libraries(heed_app_dependencies INTERFACE
    glfw OpenGL::OpenGL OpenGL::EGL PkgConfig::EPOXY
    Freetype::Freetype Fontconfig::Fontconfig PkgConfig::PANGO PkgConfig::FRIBIDI
    PNG::PNG GIF::GIF nlohmann_json::nlohmann_json CLI11::CLI11 ${CMAKE_DL_LIBS})
