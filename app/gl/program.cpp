#include "app/gl/program.h"

#include "core/embedded.h"

#include <epoxy/gl.h>

#include <cassert>
#include <cstdio>

namespace heed::app {
namespace {

unsigned compile(unsigned kind, const std::string& path, const std::string& defines) {
    std::string source(embedded_file(path));
    source.insert(source.find('\n') + 1, defines);
    const char* text = source.data();
    const auto length = static_cast<GLint>(source.size());
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, &length);
    glCompileShader(shader);
    GLint is_good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (is_good == 0) {
        char words[1024] = "";
        glGetShaderInfoLog(shader, sizeof words, nullptr, words);
        std::fprintf(stderr, "%s does not compile: %s\n", path.c_str(), words);
        assert(!"a shader does not compile");
    }
    return shader;
}

}  // namespace

unsigned make_program(std::string_view name, const std::string& defines) {
    const std::string path = "shaders/" + std::string(name);
    const GLuint vertex = compile(GL_VERTEX_SHADER, path + ".vert", defines);
    const GLuint fragment = compile(GL_FRAGMENT_SHADER, path + ".frag", defines);
    const GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint is_good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &is_good);
    if (is_good != 0) return program;
    glDeleteProgram(program);
    return 0;
}

}  // namespace heed::app
