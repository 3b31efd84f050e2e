// SPDX-License-Identifier: GPL-3.0-or-later
// A mark from its rim to its middle: a dark halo, an outline if it is selected, its color, a dark
// core if it is locked, and a ring around all if it is active.

float inside(float edge, float at)
{
  return clamp(edge + 0.5 - at, 0.0, 1.0);
}

void main()
{
  float at = length(gl_PointCoord - 0.5) * 2.0 * reach;
  float edge = radius + 2.0 * line * style.x;
  float halo = inside(edge + line, at);
  vec3 shade = mix(vec3(style.x), fill.rgb, inside(radius, at));
  shade *= inside(edge, at) * (1.0 - 0.8 * style.z * inside(radius * 0.5, at));
  float alpha = mix(0.7, 1.0, inside(edge, at)) * halo;
  if (style.y > 0.0) {
    float ring = edge + 3.0 * line;
    float around = inside(ring + 2.0 * line, at) - inside(ring - line, at);
    shade = mix(shade, vec3(inside(ring + line, at) - inside(ring, at)), around);
    alpha = max(alpha, around * 0.9);
  }
  frag = vec4(shade, alpha * fill.a);
}
