# How our own code is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

find_program(HEED_CCACHE ccache)
mark_as_advanced(HEED_CCACHE)
if(HEED_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${HEED_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${HEED_CCACHE}")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# No -march: one binary for every processor of its family. No -ffast-math: infinities and NaN mean something here.
# Eigen without any optimisation is some twenty times slower, so a Debug build uses -Og.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

if(HEED_SANITIZE)
    # -O1 replaces -Og here: the checks need no debugger's view and the tests run sooner. Line tables are enough for a report.
    add_compile_options(
        "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer;-O1;-g1>")
    add_link_options(-fsanitize=address,undefined)
endif()

function(heed_own_code target)
    get_target_property(type ${target} TYPE)
    if(HEED_SANITIZE AND type STREQUAL "EXECUTABLE")
        target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/keep_libraries.c")
    endif()
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>"
        "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HEED_WERROR}>>:-Werror>")
endfunction()
