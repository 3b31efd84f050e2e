// SPDX-License-Identifier: GPL-3.0-or-later
// A pixel of a text's image, which is black and white, so that sRGB changes no color.

void main()
{
  vec4 texel = texelFetch(image, ivec2(at), 0);
  frag = vec4(texel.rgb, texel.a * opacity);
}
