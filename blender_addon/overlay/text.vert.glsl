// SPDX-License-Identifier: GPL-3.0-or-later
// Corners of images of texts: pixels of the region, and of the texture that they are in.

void main()
{
  gl_Position = vec4(corner * 2.0 / extent - 1.0, 0.0, 1.0);
  at = inside.xy;
  opacity = inside.z;
}
