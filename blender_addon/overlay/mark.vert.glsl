// SPDX-License-Identifier: GPL-3.0-or-later
// A point for each mark, as wide as the mark; `kind` is selected, active, locked.

void main()
{
  reach = radius + line * (1.5 + 2.0 * kind.x + 5.0 * kind.y);
  gl_Position = vec4(center.xy * 2.0 / extent - 1.0, 0.0, 1.0);
  gl_PointSize = 2.0 * reach;
  style = kind;
  fill = vec4(color, center.z);
  if (srgbTarget) {  // set by Blender, by this name, if the target encodes colors as sRGB
    vec3 low = color / 12.92, high = pow((color + 0.055) / 1.055, vec3(2.4));
    fill.rgb = mix(high, low, vec3(lessThanEqual(color, vec3(0.04045))));
  }
}
