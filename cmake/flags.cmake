# How our own code is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

find_program(HEED_CCACHE ccache)
mark_as_advanced(HEED_CCACHE)
if(HEED_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Paths below the clone do not count, so that two clones share results; the rest is what precompiled headers need.
    set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${HEED_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# No -march: one binary for every processor of its family. No -ffast-math: infinities and NaN mean something here.
# Eigen without any optimisation is some twenty times slower, so a Debug build uses -Og.
set(CMAKE_CXX_FLAGS_RELEASE "${HEED_OPTIMIZATION} -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

# Hardening: overwritten return addresses and overrun buffers stop the program, and nothing that it jumps through stays
# writable. Sanitizers do the first two better themselves; _FORTIFY_SOURCE needs the optimiser.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>>:-fPIE>")
add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>" "LINKER:-z,relro,-z,now")
if(NOT HEED_SANITIZE AND NOT HEED_SANITIZE_THREADS)
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong>"
        "$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

if(HEED_SANITIZE AND HEED_SANITIZE_THREADS)
    message(FATAL_ERROR "AddressSanitizer and ThreadSanitizer cannot watch one program: choose one of them.")
elseif(HEED_SANITIZE)
    set(sanitizers address,undefined)
    # Infinity made into an int is no part of "undefined".
    include(CheckCXXCompilerFlag)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fsanitize=float-cast-overflow)
    check_cxx_compiler_flag(-fsanitize=float-cast-overflow HEED_HAVE_FLOAT_CAST_OVERFLOW)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(HEED_HAVE_FLOAT_CAST_OVERFLOW)
        string(APPEND sanitizers ,float-cast-overflow)
    endif()
elseif(HEED_SANITIZE_THREADS)
    set(sanitizers thread)
endif()
if(sanitizers)
    # -O1 replaces -Og here: the checks need no debugger's view and the tests run sooner. Line tables are enough for a report.
    add_compile_options(
        "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${sanitizers};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-O1;-g1>")
    add_link_options(-fsanitize=${sanitizers})
endif()

# What nearly every file of the app and of the tests includes.
set(heed_common_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <unordered_map> <utility> <variant> <vector>)

function(heed_own_code target)
    get_target_property(type ${target} TYPE)
    if(sanitizers AND type STREQUAL "EXECUTABLE")
        # As an object, not as a source: a target with a C source would precompile its headers for C too.
        if(NOT TARGET heed_keep_libraries)
            add_library(heed_keep_libraries OBJECT "${PROJECT_SOURCE_DIR}/cmake/keep_libraries.c")
        endif()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:heed_keep_libraries>)
    endif()
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>"
        "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HEED_WERROR}>>:-Werror>"
        # GCC warns about the inside of std::string and std::vector as if it were ours (its bug 105651 and kin).
        "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endfunction()

# heed_precompile(TARGET HEADERS...): read once a target. Of the core only Eigen, the dearest of all, so that a file of it that
# leans on a header it does not include still fails.
function(heed_precompile target)
    if(NOT HEED_PCH)
        return()
    endif()
    target_precompile_headers(${target} PRIVATE <Eigen/Core> ${ARGN})
    if(HEED_CCACHE)  # which hashes the preprocessor's output
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
    endif()
    # Not for a file with flags of its own, nor for one that defines a switch before it includes what the switch is for.
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        if(source MATCHES "\\.cpp$" AND EXISTS "${source}")
            file(STRINGS "${source}" switches REGEX "^# *define +(EIGEN|IMGUI|HWY|_)")
            if(switches OR source MATCHES "_simd\\.cpp$")
                set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
            endif()
        endif()
    endforeach()
endfunction()

# heed_batch(TARGET): compile its files in batches, where the headers and templates they share are compiled once: half the time
# of a clean build, but a changed file takes its batch along. Which files can share one is seen by cmake/batches.awk.
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/batches.awk")
function(heed_batch target)
    if(NOT HEED_BATCHES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    set(candidates "")
    foreach(source IN LISTS sources)
        if(source MATCHES "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
            get_source_file_property(options "${source}" COMPILE_OPTIONS)
            get_source_file_property(apart "${source}" SKIP_PRECOMPILE_HEADERS)
            if(NOT options AND NOT apart)
                list(APPEND candidates "${source}")
            endif()
        endif()
    endforeach()
    file(GLOB_RECURSE headers "${PROJECT_SOURCE_DIR}/core/*.h")
    if(NOT target STREQUAL "heed_core")
        file(GLOB_RECURSE more "${PROJECT_SOURCE_DIR}/app/*.h" "${PROJECT_SOURCE_DIR}/tests/*.h")
        list(APPEND headers ${more})
    endif()
    # The memory tests put their own objects of core/attention/ in place of those in the library, one for one.
    execute_process(COMMAND awk -v size=${HEED_BATCH_SIZE} -v apart=/core/attention/ -f "${PROJECT_SOURCE_DIR}/cmake/batches.awk" ${headers} ${candidates}
        OUTPUT_VARIABLE dealt RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed)
        message(STATUS "Without awk every file of ${target} is compiled by itself")
        return()
    endif()
    string(REPLACE "\n" ";" dealt "${dealt}")
    foreach(line IN LISTS dealt)
        string(REGEX MATCH "^([0-9]+) (.*)$" _ "${line}")
        set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${CMAKE_MATCH_1}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # A local name may be another file's unnamed one.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-shadow;-Wshadow=local>)
endfunction()
