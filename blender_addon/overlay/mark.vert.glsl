// SPDX-License-Identifier: GPL-3.0-or-later
// A square around each mark, whose size is in pixels; `kind` is selected, in use, locked.

void main()
{
  float reach = radius + line * (2.0 + 2.0 * kind.x + 6.0 * kind.y);
  gl_Position = window * vec4(center, 1.0);
  gl_Position.xy += corner * reach * 2.0 / extent * gl_Position.w;
  away = corner * reach;
  fill = color;
  style = kind;
}
