/* blend.h - what becomes of a pixel on which colour is laid, as cairo and pixman have it, to the last bit. */
#ifndef POSTRUN_BLEND_H
#define POSTRUN_BLEND_H

#include <stdint.h>

/* Every second byte times `share` of 255; what is added makes it the nearest of the two next to it, or of halves the lower one. */
static inline uint32_t two_times(uint32_t bytes, uint32_t share, uint32_t added)
{
	const uint32_t parts = (bytes & 0xff00ff) * share + added;
	return (parts + (parts >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
}

/* pixman lays what is not opaque on pixels; what is, cairo does itself. */
#define AS_PIXMAN 0x800080U
#define AS_CAIRO 0x7f007fU
static inline uint32_t pixel_times(uint32_t pixel, uint32_t share, uint32_t added)
{
	return two_times(pixel, share, added) | two_times(pixel >> 8, share, added) << 8;
}

#endif
