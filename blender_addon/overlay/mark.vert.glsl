// SPDX-License-Identifier: GPL-3.0-or-later
// A triangle around each mark, whose size is in pixels; `kind` is selected, in use, locked.

void main()
{
  float reach = radius + line * (1.5 + 2.0 * kind.x + 5.0 * kind.y);
  gl_Position = window * vec4(center, 1.0);
  gl_Position.xy += corner * reach * 2.0 / extent * gl_Position.w;
  away = corner * reach;
  style = kind;
  fill = color;
  if (srgbTarget) {  // which encodes what is written: Blender sets it by this name
    vec3 low = color.rgb / 12.92, high = pow((color.rgb + 0.055) / 1.055, vec3(2.4));
    fill.rgb = mix(high, low, vec3(lessThanEqual(color.rgb, vec3(0.04045))));
  }
}
