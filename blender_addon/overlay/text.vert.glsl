// SPDX-License-Identifier: GPL-3.0-or-later
// Corners of the images of texts, in pixels of the region and in pixels of the texture.

void main()
{
  gl_Position = vec4(corner * 2.0 / extent - 1.0, 0.0, 1.0);
  at = inside.xy;
  opacity = inside.z;
}
