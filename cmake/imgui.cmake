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
        set(imgui_from_package ON)
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
    "${imgui_extras_dir}/misc/cpp" "${imgui_extras_dir}" "${implot_dir}")
target_compile_definitions(heed_imgui PUBLIC
    IMGUI_USE_WCHAR32  # emoji
    IMGUI_ENABLE_FREETYPE
    IMGUI_DISABLE_OBSOLETE_FUNCTIONS
    IMGUI_ENABLE_TEST_ENGINE  # the tests find widgets by name; the hooks are ours, app/shell/test_hooks.cpp
    "IMPLOT_CUSTOM_NUMERIC_TYPES=(float)(double)(int)")  # ImPlot compiles in a third of the time
target_compile_options(heed_imgui PRIVATE -w)
target_link_libraries(heed_imgui PUBLIC glfw Freetype::Freetype ${CMAKE_DL_LIBS})
