#version 330 core
// Value to colour, as color_at() in core/figure/color_maps.cpp does it; hidden cells hatched, NaN crossed out.
in vec2 texel;
in vec2 place;

uniform sampler2D values;       // above 3e38: hidden; below −3e38: NaN
uniform sampler2D table;        // 256 × 1
uniform sampler2D hues;         // of the winner, in place of the table, where has_hues
uniform vec2 texels;
uniform bool transposed;
uniform float factor;
uniform float soft_cap;         // 0 = none
uniform vec2 range;             // low, high
uniform bool logarithmic;
uniform bool has_hues;
uniform int dots;               // 0 = colour, 1 = dots, 2 = dots with rings below the middle
uniform vec2 cell_size;         // logical pixels
uniform float pixels;           // of the screen per logical pixel
uniform vec3 paper;
uniform vec3 hidden_ground;
uniform vec4 hatching;          // colour; alpha 0 = none
uniform vec2 hatch;             // spacing along x and width, logical pixels
uniform vec4 warning;           // colour; alpha 0 = no cross

out vec4 color;

// How much of a pixel a line covers whose middle is `distance` logical pixels away.
float coverage(float distance, float half_width) {
    return clamp((half_width - distance) * pixels + 0.5, 0.0, 1.0);
}

vec3 nan_mark() {
    float arm = min(min(cell_size.x, cell_size.y), 16.0) * 0.32;
    if (arm < 1.0) return mix(paper, warning.rgb, warning.a);
    vec2 from_center = abs((fract(texel) - 0.5) * cell_size);
    float off = abs(from_center.x - from_center.y) * 0.70711;
    float inside = step(max(from_center.x, from_center.y), arm);
    return mix(paper, warning.rgb, coverage(off, 0.625) * inside * warning.a);
}

vec3 hidden_mark() {
    float along = place.x + place.y;
    float off = abs(along - hatch.x * floor(along / hatch.x + 0.5)) * 0.70711;
    return mix(hidden_ground, hatching.rgb, coverage(off, hatch.y * 0.5) * hatching.a);
}

void main() {
    ivec2 at = ivec2(min(texel, ceil(texels) - 0.5));
    if (transposed) at = at.yx;
    float value = texelFetch(values, at, 0).r;
    if (value > 3e38) {
        color = vec4(hidden_mark(), 1.0);
        return;
    }
    if (value < -3e38) {
        color = vec4(nan_mark(), 1.0);
        return;
    }
    value *= factor;
    if (soft_cap > 0.0) value = soft_cap * tanh(value / soft_cap);
    float share;
    if (logarithmic)
        share = value <= range.x ? 0.0 : log(value / range.x) / log(range.y / range.x);
    else
        share = (value - range.x) / (range.y - range.x);
    share = clamp(share, 0.0, 1.0);

    vec4 hue = has_hues ? texelFetch(hues, at, 0) : texelFetch(table, ivec2(int(floor(share * 255.0 + 0.5)), 0), 0);
    if (dots == 0) {
        color = vec4(mix(paper, hue.rgb, hue.a), 1.0);
        return;
    }
    bool ring = dots == 2 && share < 0.5;
    float area = dots == 2 ? abs(2.0 * share - 1.0) : share;
    float radius = 0.46 * min(cell_size.x, cell_size.y) * sqrt(area);
    if (!has_hues) hue = texelFetch(table, ivec2(ring ? 0 : 255, 0), 0);
    float from_center = length((fract(texel) - 0.5) * cell_size);
    float line = min(1.5, radius * 0.5);
    float covered = ring ? coverage(abs(from_center - radius + line * 0.5), line * 0.5) : coverage(from_center, radius);
    color = vec4(mix(paper, hue.rgb, radius < 0.1 ? 0.0 : covered * hue.a), 1.0);
}
