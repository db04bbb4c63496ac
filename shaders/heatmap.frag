#version 330 core
// Value to colour, as color_at() in core/figure/color_maps.cpp does it; hidden cells hatched, NaN crossed out.
//
// Compiled once for each set of features in use (TRANSPOSED, LOGARITHMIC, SOFT_CAP, HUES, DOTS, MARKS): a processor without
// graphics hardware runs both sides of every branch.
in vec2 texel;
#if defined(MARKS)
in vec2 place;
#endif

uniform sampler2D values;       // above 3e38: hidden; below −3e38: NaN
uniform sampler2D table;        // 256 × 1
uniform sampler2D hues;         // of the winner, in place of the table
uniform vec2 texels;           // half a texel before the end, columns and rows
uniform float factor;
uniform float soft_cap;
uniform vec2 range;             // low, and high − low; for a log scale low, and log(high / low)
uniform bool diverging;         // dots below the middle are rings
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

#if defined(MARKS)
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
#endif

vec3 cell_color(float share, ivec2 at) {
#if defined(HUES)
    vec4 hue = texelFetch(hues, at, 0);
#elif defined(DOTS)
    vec4 hue = texelFetch(table, ivec2(diverging && share < 0.5 ? 0 : 255, 0), 0);
#else
    vec4 hue = texelFetch(table, ivec2(int(share * 255.0 + 0.5), 0), 0);
#endif
#if defined(DOTS)
    bool ring = diverging && share < 0.5;
    float radius = 0.46 * min(cell_size.x, cell_size.y) * sqrt(diverging ? abs(2.0 * share - 1.0) : share);
    float from_center = length((fract(texel) - 0.5) * cell_size);
    float line = min(1.5, radius * 0.5);
    float covered = ring ? coverage(abs(from_center - radius + line * 0.5), line * 0.5) : coverage(from_center, radius);
    return mix(paper, hue.rgb, radius < 0.1 ? 0.0 : covered * hue.a);
#elif defined(HUES)
    return mix(paper, hue.rgb, hue.a);
#else
    return hue.rgb;
#endif
}

void main() {
    ivec2 at = ivec2(min(texel, texels));
#if defined(TRANSPOSED)
    at = at.yx;
#endif
    float stored = texelFetch(values, at, 0).r;
    float value = stored * factor;
#if defined(SOFT_CAP)
    value = soft_cap * tanh(value / soft_cap);
#endif
#if defined(LOGARITHMIC)
    float share = value <= range.x ? 0.0 : log(value / range.x) / range.y;
#else
    float share = (value - range.x) / range.y;
#endif
    color = vec4(cell_color(clamp(share, 0.0, 1.0), at), 1.0);
#if defined(MARKS)
    if (stored > 3e38) color.rgb = hidden_mark();
    if (stored < -3e38) color.rgb = nan_mark();
#endif
}
