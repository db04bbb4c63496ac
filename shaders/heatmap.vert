#version 330 core
// One quad over all cells, made from the vertex number alone.
uniform vec4 corners;      // x0, y0, x1, y1 in clip space
uniform vec4 places;       // the same in logical pixels of the figure
uniform vec2 spans;        // columns and rows of texels under the quad, as drawn; the last may be cut

out vec2 texel;
out vec2 place;

void main() {
    vec2 share = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    texel = share * spans;
    place = mix(places.xy, places.zw, share);
    gl_Position = vec4(mix(corners.xy, corners.zw, share), 0.0, 1.0);
}
