# Compile the shaders and the assets into a target, readable through core/embedded.h.
#
# The assembler reads the files itself (.incbin), so large ones cost no compile time. The list is taken at configure
# time, and ninja configures again when a file comes or goes.

function(heed_embed target)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
        "${PROJECT_SOURCE_DIR}/shaders/*.vert" "${PROJECT_SOURCE_DIR}/shaders/*.frag" "${PROJECT_SOURCE_DIR}/assets/*")
    # Pictures of the README are not for the program; what lies directly in assets/ is only installed.
    list(FILTER files EXCLUDE REGEX "^assets/(readme/|[^/]*$)")
    list(SORT files COMPARE STRING)  # embedded.cpp searches by halves

    set(externs "")
    set(rows "")
    set(data "")
    set(paths "")
    set(number 0)
    foreach(file IN LISTS files)
        string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" quoted "${file}")
        string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" quoted_path "${PROJECT_SOURCE_DIR}/${file}")
        string(APPEND externs "extern const char heed_file_${number}[], heed_file_${number}_end[];\n")
        string(APPEND rows "    {\"${quoted}\", heed_file_${number}, heed_file_${number}_end},\n")
        string(APPEND data
            "    .balign 16\n"
            "    .globl heed_file_${number}\n    .hidden heed_file_${number}\n"
            "    .globl heed_file_${number}_end\n    .hidden heed_file_${number}_end\n"
            "heed_file_${number}:\n    .incbin \"${quoted_path}\"\nheed_file_${number}_end:\n    .byte 0\n")
        list(APPEND paths "${PROJECT_SOURCE_DIR}/${file}")
        math(EXPR number "${number} + 1")
    endforeach()

    set(folder "${PROJECT_BINARY_DIR}/generated")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in" "${folder}/embedded.cpp" @ONLY)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded.S.in" "${folder}/embedded.S" @ONLY)
    set_source_files_properties("${folder}/embedded.S" PROPERTIES OBJECT_DEPENDS "${paths}")
    target_sources(${target} PRIVATE "${folder}/embedded.cpp" "${folder}/embedded.S")
endfunction()
