# heed_imgui: Dear ImGui and ImPlot, compiled once, without our warnings.
#
# Taken from the first of: HEED_IMGUI_DIR and HEED_IMPLOT_DIR, installed packages, the sources that fetch_imgui.sh keeps.

set(imgui_from_package OFF)
if(HEED_IMGUI_DIR OR HEED_IMPLOT_DIR)
    if(NOT (HEED_IMGUI_DIR AND HEED_IMPLOT_DIR))
        message(FATAL_ERROR "HEED_IMGUI_DIR and HEED_IMPLOT_DIR belong together: give both.")
    endif()
    set(imgui_dir "${HEED_IMGUI_DIR}")
    set(imgui_extras_dir "${HEED_IMGUI_DIR}")
    set(implot_dir "${HEED_IMPLOT_DIR}")
    message(STATUS "Dear ImGui from HEED_IMGUI_DIR, ImPlot from HEED_IMPLOT_DIR")
else()
    find_package(imgui CONFIG QUIET)
    find_package(implot CONFIG QUIET)
    if(imgui_FOUND AND implot_FOUND)
        # Its features are chosen where it is built: we need docking, emoji, FreeType and both backends.
        include(CheckCXXSourceCompiles)
        set(CMAKE_REQUIRED_LIBRARIES imgui::imgui implot::implot)
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        check_cxx_source_compiles("
            #include <imgui.h>
            #include <imgui_impl_glfw.h>
            #include <imgui_impl_opengl3.h>
            #include <imgui_stdlib.h>
            #include <implot.h>
            #if !defined(IMGUI_HAS_DOCK) || !defined(IMGUI_USE_WCHAR32) || !defined(IMGUI_ENABLE_FREETYPE)
            #error
            #endif
            int main() { return 0; }" HEED_IMGUI_PACKAGE_FITS)
        unset(CMAKE_REQUIRED_LIBRARIES)
        unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
        set(imgui_from_package ${HEED_IMGUI_PACKAGE_FITS})
        if(NOT imgui_from_package)
            message(STATUS "The installed Dear ImGui is built without docking, wide characters, FreeType or a backend: not used")
        endif()
    endif()
    if(imgui_from_package)
        message(STATUS "Dear ImGui and ImPlot from installed packages")
    else()
        execute_process(COMMAND "${PROJECT_SOURCE_DIR}/cmake/fetch_imgui.sh"
            OUTPUT_VARIABLE fetched RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(failed)
            message(FATAL_ERROR "The sources of Dear ImGui and ImPlot could not be had.")
        endif()
        string(REGEX MATCH "monado=([^\n]*)" _ "${fetched}")
        set(imgui_dir "${CMAKE_MATCH_1}/src/external/imgui/imgui")
        set(implot_dir "${CMAKE_MATCH_1}/src/external/imgui/implot")
        # monado leaves out the GLFW backend, the FreeType builder and imgui_stdlib.
        string(REGEX MATCH "imgui=([^\n]*)" _ "${fetched}")
        set(imgui_extras_dir "${CMAKE_MATCH_1}")
        message(STATUS "Dear ImGui and ImPlot from Debian's source packages, kept in the cache folder")
    endif()
endif()

if(imgui_from_package)
    add_library(heed_imgui INTERFACE)
    target_link_libraries(heed_imgui INTERFACE imgui::imgui implot::implot)
    # Packages are built without the hooks by which our tests find widgets.
    if(HEED_TESTS)
        message(STATUS "The tests of the app are left out: they need Dear ImGui from source")
    endif()
    return()
endif()

add_library(heed_imgui STATIC
    "${imgui_dir}/imgui.cpp" "${imgui_dir}/imgui_draw.cpp" "${imgui_dir}/imgui_tables.cpp"
    "${imgui_dir}/imgui_widgets.cpp" "${imgui_dir}/imgui_demo.cpp"
    "${imgui_dir}/backends/imgui_impl_opengl3.cpp"
    "${imgui_extras_dir}/backends/imgui_impl_glfw.cpp"
    "${imgui_extras_dir}/misc/freetype/imgui_freetype.cpp"
    "${imgui_extras_dir}/misc/cpp/imgui_stdlib.cpp"
    "${implot_dir}/implot.cpp" "${implot_dir}/implot_items.cpp")
# The order matters: a backend's header comes from the folder its source came from.
target_include_directories(heed_imgui SYSTEM PUBLIC
    "${imgui_dir}" "${imgui_dir}/backends" "${imgui_extras_dir}/backends" "${imgui_extras_dir}/misc/freetype"
    "${imgui_extras_dir}/misc/cpp" "${implot_dir}")
target_include_directories(heed_imgui SYSTEM PRIVATE "${imgui_extras_dir}")  # imgui_draw.cpp says misc/freetype/…
target_compile_definitions(heed_imgui PUBLIC
    IMGUI_USE_WCHAR32  # emoji
    IMGUI_ENABLE_FREETYPE
    IMGUI_DISABLE_OBSOLETE_FUNCTIONS
    IMGUI_ENABLE_TEST_ENGINE  # the tests find widgets by name; the hooks are ours, app/platform/test_hooks.cpp
    "IMPLOT_CUSTOM_NUMERIC_TYPES=(float)(double)(int)")  # ImPlot compiles in a third of the time
target_compile_options(heed_imgui PRIVATE -w)
if(HEED_HAVE_FLOAT_CAST_OVERFLOW)  # ImPlot makes every axis a time too, which a huge one is not
    target_compile_options(heed_imgui PRIVATE -fno-sanitize=float-cast-overflow)
endif()
set_target_properties(heed_imgui PROPERTIES CXX_CLANG_TIDY "")
target_link_libraries(heed_imgui PUBLIC glfw Freetype::Freetype ${CMAKE_DL_LIBS})
