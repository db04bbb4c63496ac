#include "app/gl/heatmap.h"

#include "app/gl/changed_tiles.h"
#include "app/gl/heatmap_texels.h"
#include "app/gl/imgui_compat.h"
#include "app/gl/program.h"
#include "core/figure/mark_look.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace heed::app {
namespace {

constexpr int frames_kept = 60;

// What a texture was made from. A version stands for the numbers, wherever they are; colours have no version, so theirs is
// their address, and they are kept alive.
struct TextureKey {
    std::uint64_t version = 0;
    Index rows = 0;
    Index cols = 0;
    bool has_mask = false;
    std::uint64_t mask_version = 0;
    Blocks blocks;
    Strength strength;
    const void* hues = nullptr;
    friend bool operator==(const TextureKey&, const TextureKey&) = default;
};

struct CachedTexture {
    TextureKey key;
    GLuint name = 0;
    Index width = 0;
    Index height = 0;
    int last_used = 0;
    int upload = 0;          // the count of uploads when it was made
    bool has_marks = false;  // hidden cells or NaN
    std::shared_ptr<const std::vector<Color>> colors;
};

// One quad of this frame.
struct Job : CallbackContent {
    HeatmapRenderer::Impl* renderer = nullptr;
    GLuint values = 0;
    GLuint table = 0;
    GLuint hues = 0;
    float rect[4] = {};    // ImGui coordinates
    float places[4] = {};  // logical pixels
    float texels[2] = {};  // as drawn
    unsigned features = 0;
    float factor = 1;
    float soft_cap = 0;
    float range[2] = {};
    bool diverging = false;
    float cell[2] = {};
    float pixels = 1;
    Color paper, hidden, hatching, warning;

    // uploads: which upload each texture holds, for its name stays.
    void set_content(int values_upload, int hues_upload);
};

void Job::set_content(int values_upload, int hues_upload) {
    Hash hash;
    for (const std::uint64_t number :
         {std::uint64_t{values}, std::uint64_t{table}, std::uint64_t{hues}, std::uint64_t{features},
          static_cast<std::uint64_t>(values_upload), static_cast<std::uint64_t>(hues_upload), std::uint64_t{diverging}})
        hash.add(number);
    for (const float number : rect) hash.add(number);
    for (const float number : places) hash.add(number);
    for (const float number : {texels[0], texels[1], factor, soft_cap, range[0], range[1], cell[0], cell[1], pixels})
        hash.add(number);
    for (const Color color : {paper, hidden, hatching, warning})
        hash.add(std::uint64_t{color.r} << 24U | std::uint64_t{color.g} << 16U | std::uint64_t{color.b} << 8U |
                 color.a);
    content = hash.value();
    area = ImVec4(rect[0], rect[1], rect[2], rect[3]);
}

enum Uniform : int {
    u_corners,
    u_places,
    u_spans,
    u_texels,
    u_factor,
    u_soft_cap,
    u_range,
    u_diverging,
    u_cell_size,
    u_pixels,
    u_paper,
    u_hidden_ground,
    u_hatching,
    u_hatch,
    u_warning,
    n_uniforms
};
constexpr const char* uniform_names[n_uniforms] = {"corners",  "places",        "spans",     "texels",    "factor",
                                                   "soft_cap", "range",         "diverging", "cell_size", "pixels",
                                                   "paper",    "hidden_ground", "hatching",  "hatch",     "warning"};

enum Feature : unsigned {
    transposed = 1,
    logarithmic = 2,
    soft_capped = 4,
    hued = 8,
    dotted = 16,
    marked = 32,
    n_variants = 64
};
constexpr const char* feature_names[] = {"TRANSPOSED", "LOGARITHMIC", "SOFT_CAP", "HUES", "DOTS", "MARKS"};

// The shader with one set of features, compiled when first drawn with.
struct Variant {
    GLuint program = 0;
    GLint uniforms[n_uniforms] = {};
};

// Rows an odd number of cache lines apart: the rows of a power of two all fall on the same few places of a processor's
// cache, which doubles the time of a frame where the processor is the graphics card.
Index padded_width(Index width) {
    const Index lines = (width + 15) / 16;
    return (lines % 2 == 0 ? lines + 1 : lines) * 16;
}

HeatmapRenderer* renderer_in_use = nullptr;

void set_nearest() {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

}  // namespace

struct HeatmapRenderer::Impl {
    GLuint vertices = 0;
    std::array<Variant, n_variants> variants;
    GLint most_texels = 4096;
    std::vector<CachedTexture> cache;
    std::map<std::pair<std::string_view, bool>, GLuint> tables;  // by map and whether dark
    std::deque<Job> jobs;                                        // addresses stay until the next frame
    std::vector<float> floats;
    std::vector<Color> bytes;
    int frame = 0;
    int uploads = 0;

    void start();
    const Variant& variant(unsigned features);
    GLuint table(std::string_view map, Theme theme);
    const CachedTexture& texture(const HeatmapMark& mark, const Blocks& blocks, bool hues);
    CachedTexture& slot_for(Index width, Index height);
    void run(const Job& job, const ImVec4& clip);
};

void HeatmapRenderer::Impl::start() {
    glGenVertexArrays(1, &vertices);
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    most_texels = std::clamp(limit, 1024, 8192);
}

const Variant& HeatmapRenderer::Impl::variant(unsigned features) {
    Variant& made = variants[features];
    if (made.program != 0) return made;
    std::string defines;
    for (unsigned i = 0; i < std::size(feature_names); ++i)
        if ((features & 1U << i) != 0) defines += "#define " + std::string(feature_names[i]) + "\n";
    made.program = make_program("heatmap", defines);
    for (int i = 0; i < n_uniforms; ++i) made.uniforms[i] = glGetUniformLocation(made.program, uniform_names[i]);
    glUseProgram(made.program);
    glUniform1i(glGetUniformLocation(made.program, "values"), 0);
    glUniform1i(glGetUniformLocation(made.program, "table"), 1);
    glUniform1i(glGetUniformLocation(made.program, "hues"), 2);
    return made;
}

GLuint HeatmapRenderer::Impl::table(std::string_view map, Theme theme) {
    GLuint& name = tables[{color_map(map).id, theme == Theme::dark}];
    if (name != 0) return name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    set_nearest();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, color_table_size, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 color_table(map, theme).data());
    return name;
}

// A texture of this size that has not been drawn lately, or a new one.
CachedTexture& HeatmapRenderer::Impl::slot_for(Index width, Index height) {
    for (CachedTexture& entry : cache)
        if (entry.width == width && entry.height == height && entry.last_used < frame - 1) return entry;
    CachedTexture& entry = cache.emplace_back();
    glGenTextures(1, &entry.name);
    return entry;
}

const CachedTexture& HeatmapRenderer::Impl::texture(const HeatmapMark& mark, const Blocks& blocks, bool hues) {
    TextureKey key{mark.values.version,
                   mark.values.rows,
                   mark.values.cols,
                   mark.visible.data != nullptr,
                   mark.visible.version,
                   blocks,
                   {},
                   hues ? mark.cell_colors.get() : nullptr};
    if (blocks != Blocks{}) key.strength = strength_of(mark);
    for (CachedTexture& entry : cache)
        if (entry.key == key) {
            entry.last_used = frame;
            return entry;
        }

    const Index width = n_blocks(mark.values.cols, blocks.cols);
    const Index height = n_blocks(mark.values.rows, blocks.rows);
    const void* pixels = nullptr;
    bool has_marks = false;
    if (hues) {
        fill_hues(mark, blocks, bytes);
        pixels = bytes.data();
    } else {
        has_marks = fill_texels(mark, blocks, floats);
        pixels = floats.data();
    }
    CachedTexture& entry = slot_for(width, height);
    const bool fits = entry.width == width && entry.height == height && (entry.key.hues != nullptr) == hues;
    entry.key = key;
    entry.width = width;
    entry.height = height;
    entry.last_used = frame;
    entry.has_marks = has_marks;
    entry.colors = hues ? mark.cell_colors : nullptr;
    glBindTexture(GL_TEXTURE_2D, entry.name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    const GLenum format = hues ? GL_RGBA : GL_RED;
    const GLenum type = hues ? GL_UNSIGNED_BYTE : GL_FLOAT;
    if (!fits) {
        set_nearest();
        glTexImage2D(GL_TEXTURE_2D, 0, hues ? GL_RGBA8 : GL_R32F, static_cast<GLsizei>(padded_width(width)),
                     static_cast<GLsizei>(height), 0, format, type, nullptr);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), format, type,
                    pixels);
    entry.upload = ++uploads;
    return entry;
}

void HeatmapRenderer::Impl::run(const Job& job, const ImVec4& clip) {
    const ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 size = data.DisplaySize;
    const ImVec2 pixels = data.FramebufferScale;
    const float left = (clip.x - data.DisplayPos.x) * pixels.x;
    const float top = (clip.y - data.DisplayPos.y) * pixels.y;
    const float right = (clip.z - data.DisplayPos.x) * pixels.x;
    const float bottom = (clip.w - data.DisplayPos.y) * pixels.y;
    if (right <= left || bottom <= top) return;
    glScissor(static_cast<GLint>(left), static_cast<GLint>(size.y * pixels.y - bottom),
              static_cast<GLsizei>(right - left), static_cast<GLsizei>(bottom - top));

    const auto clip_x = [&](float x) { return (x - data.DisplayPos.x) / size.x * 2 - 1; };
    const auto clip_y = [&](float y) { return 1 - (y - data.DisplayPos.y) / size.y * 2; };
    const Variant& shader = variant(job.features);
    if (shader.program == 0) return;
    const GLint* uniforms = shader.uniforms;
    const auto set_color = [&](Uniform which, Color color, bool alpha) {
        const float r = static_cast<float>(color.r) / 255, g = static_cast<float>(color.g) / 255,
                    b = static_cast<float>(color.b) / 255;
        if (alpha)
            glUniform4f(uniforms[which], r, g, b, static_cast<float>(color.a) / 255);
        else
            glUniform3f(uniforms[which], r, g, b);
    };
    glUseProgram(shader.program);
    glBindVertexArray(vertices);
    glDisable(GL_BLEND);
    const GLuint textures[3] = {job.values, job.table, job.hues != 0 ? job.hues : job.table};
    for (GLenum unit = 0; unit < 3; ++unit) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, textures[unit]);
    }
    glActiveTexture(GL_TEXTURE0);
    glUniform4f(uniforms[u_corners], clip_x(job.rect[0]), clip_y(job.rect[1]), clip_x(job.rect[2]),
                clip_y(job.rect[3]));
    glUniform4fv(uniforms[u_places], 1, job.places);
    glUniform2fv(uniforms[u_spans], 1, job.texels);
    glUniform2f(uniforms[u_texels], std::ceil(job.texels[0]) - 0.5F, std::ceil(job.texels[1]) - 0.5F);
    glUniform1f(uniforms[u_factor], job.factor);
    glUniform1f(uniforms[u_soft_cap], job.soft_cap);
    glUniform2fv(uniforms[u_range], 1, job.range);
    glUniform1i(uniforms[u_diverging], job.diverging ? 1 : 0);
    glUniform2fv(uniforms[u_cell_size], 1, job.cell);
    glUniform1f(uniforms[u_pixels], job.pixels * pixels.x);
    set_color(u_paper, job.paper, false);
    set_color(u_hidden_ground, job.hidden, false);
    set_color(u_hatching, job.hatching, true);
    set_color(u_warning, job.warning, true);
    glUniform2f(uniforms[u_hatch], hatch_spacing, hatch_width);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

HeatmapRenderer::HeatmapRenderer() : impl_(std::make_unique<Impl>()) {
    impl_->start();
    renderer_in_use = this;
}

HeatmapRenderer::~HeatmapRenderer() {
    if (renderer_in_use == this) renderer_in_use = nullptr;
    for (const CachedTexture& entry : impl_->cache) glDeleteTextures(1, &entry.name);
    for (const auto& [id, name] : impl_->tables) glDeleteTextures(1, &name);
    glDeleteVertexArrays(1, &impl_->vertices);
    for (const Variant& made : impl_->variants) glDeleteProgram(made.program);
}

HeatmapRenderer& HeatmapRenderer::current() {
    assert(renderer_in_use != nullptr);
    return *renderer_in_use;
}

void HeatmapRenderer::begin_frame() {
    renderer_in_use = this;
    ++impl_->frame;
    impl_->jobs.clear();
    std::erase_if(impl_->cache, [&](const CachedTexture& entry) {
        if (entry.last_used >= impl_->frame - frames_kept) return false;
        glDeleteTextures(1, &entry.name);
        return true;
    });
}

void HeatmapRenderer::draw(ImDrawList* list, const HeatmapMark& mark, const FigurePlace& place, Theme theme,
                           bool cross_nan) {
    if (mark.values.data == nullptr || mark.values.rows <= 0 || mark.values.cols <= 0 || !(mark.area.w > 0) ||
        !(mark.area.h > 0))
        return;
    const ImVec2 low = place.at(mark.area.x, mark.area.y);
    const ImVec2 high = place.at(mark.area.right(), mark.area.bottom());
    const ImVec2 clip_low = list->GetClipRectMin();
    const ImVec2 clip_high = list->GetClipRectMax();
    if (high.x < clip_low.x || high.y < clip_low.y || low.x > clip_high.x || low.y > clip_high.y) return;

    const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
    const Blocks blocks =
        blocks_for(mark, (high.x - low.x) * density.x, (high.y - low.y) * density.y, impl_->most_texels);
    const Palette& colors = palette(theme);
    const auto texel_rows = static_cast<float>(mark.values.rows) / static_cast<float>(blocks.rows);
    const auto texel_cols = static_cast<float>(mark.values.cols) / static_cast<float>(blocks.cols);

    Job& job = impl_->jobs.emplace_back();
    job.renderer = impl_.get();
    const CachedTexture& texels = impl_->texture(mark, blocks, false);
    job.values = texels.name;
    const bool has_marks = texels.has_marks;
    const int values_upload = texels.upload;
    int hues_upload = 0;
    job.table = impl_->table(mark.scale.map, theme);
    if (mark.cell_colors && !mark.cell_colors->empty()) {
        const CachedTexture& hues = impl_->texture(mark, blocks, true);
        job.hues = hues.name;
        hues_upload = hues.upload;
    }
    const float rect[4] = {low.x, low.y, high.x, high.y};
    std::copy(std::begin(rect), std::end(rect), job.rect);
    const float places[4] = {mark.area.x, mark.area.y, mark.area.right(), mark.area.bottom()};
    std::copy(std::begin(places), std::end(places), job.places);
    job.texels[0] = mark.transposed ? texel_rows : texel_cols;
    job.texels[1] = mark.transposed ? texel_cols : texel_rows;
    // Between the largest floats of either sign lies more than a float holds: there everything is a quarter as large.
    const float shrink = std::isfinite(mark.scale.high - mark.scale.low) ? 1.0F : 0.25F;
    job.factor = mark.factor * shrink;
    job.soft_cap = mark.soft_cap * shrink;
    const bool is_log = mark.scale.log && mark.scale.low > 0;
    job.range[0] = mark.scale.log && !is_log ? largest_texel
                                             : mark.scale.low * shrink;  // no place on such a scale: the first colour
    job.range[1] =
        is_log ? std::log(mark.scale.high / mark.scale.low) : (mark.scale.high * shrink) - (mark.scale.low * shrink);
    if (job.range[1] == 0) job.range[1] = 1e-30F;  // everything above the one value takes the last colour
    job.cell[0] = mark.area.w / job.texels[0];
    job.cell[1] = mark.area.h / job.texels[1];
    job.diverging = color_map(mark.scale.map).kind == MapKind::diverging;
    const bool cells_are_dots =
        mark.style == HeatmapStyle::dots && std::min(job.cell[0], job.cell[1]) * place.scale >= 2;
    job.features = (mark.transposed ? transposed : 0U) | (is_log ? logarithmic : 0U) |
                   (mark.soft_cap > 0 ? soft_capped : 0U) | (job.hues != 0 ? hued : 0U) |
                   (cells_are_dots ? dotted : 0U) | (has_marks ? marked : 0U);
    job.pixels = place.scale;
    job.paper = colors.panel;
    job.hidden = hidden_ground(colors);
    job.hatching = mark.hatch_hidden ? hatch_color(colors) : with_alpha(colors.panel, 0);
    job.warning = with_alpha(colors.warning, cross_nan ? 1.0F : 0.0F);
    job.set_content(values_upload, hues_upload);
    list->AddCallback(
        [](const ImDrawList*, const ImDrawCmd* command) {
            const Job& self = *static_cast<const Job*>(static_cast<const CallbackContent*>(command->UserCallbackData));
            self.renderer->run(self, command->ClipRect);
        },
        static_cast<CallbackContent*>(&job));
    list->AddCallback(reset_render_state(), nullptr);
}

int HeatmapRenderer::n_uploads() const { return impl_->uploads; }
int HeatmapRenderer::n_textures() const { return static_cast<int>(impl_->cache.size()); }

}  // namespace heed::app
