// SPDX-License-Identifier: GPL-3.0-or-later
// A mark from its rim to its middle: a ring where it is in use, an outline, its color.

float inside(float edge, float distance_)
{
  return clamp(edge + 0.5 - distance_, 0.0, 1.0);
}

vec4 over(vec4 top, vec4 below)
{
  return top + below * (1.0 - top.a);
}

void main()
{
  const vec4 dark = vec4(0.0, 0.0, 0.0, 0.7);
  const vec4 bright = vec4(1.0);
  float at = length(away);
  float edge = radius + 2.0 * line * style.x;
  float ring = edge + 3.0 * line;

  vec4 drawn = dark * inside(edge + line, at);
  drawn = over(bright * inside(edge, at) * style.x, drawn);
  drawn = over(fill * inside(radius, at), drawn);
  drawn = over(dark * inside(radius * 0.5, at) * style.z, drawn);
  float on_halo = inside(ring + 2.0 * line, at) - inside(ring - line, at);
  float on_ring = inside(ring + line, at) - inside(ring, at);
  drawn = over(dark * on_halo * style.y, drawn);
  drawn = over(bright * on_ring * style.y, drawn);
  if (drawn.a <= 0.0) {
    discard;
  }
  vec3 shown = drawn.rgb / drawn.a;
  if (srgbTarget) {  // which encodes what is written: Blender sets it by this name
    vec3 low = shown / 12.92, high = pow((shown + 0.055) / 1.055, vec3(2.4));
    shown = mix(high, low, vec3(lessThanEqual(shown, vec3(0.04045))));
  }
  frag = vec4(shown, drawn.a * opacity);
}
