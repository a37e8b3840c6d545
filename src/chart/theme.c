/* theme.c - the two themes, from the rows of colours.def. */
#include "chart/theme.h"
#include <math.h>

const struct theme theme_table[] = {
	[THEME_LIGHT] = {
		.at = {
#define COLOUR(id, light, light_alpha, dark, dark_alpha) [HUE_##id] = { light, light_alpha },
#include "chart/colours.def"
#undef COLOUR
		},
		.band = 0.20,
		.outer_band = 0.10,
		/* Lightness falls strictly, from 86 to 26: the ramp survives grey print. */
		.heat = { { 0, 0xFFD23F }, { 0.2, 0xDFC275 }, { 0.4, 0xB4AE98 }, { 0.6, 0x7F96AA }, { 0.8, 0x4874A3 }, { 1, 0x0D3F73 } },
		.bars = { { 0, 0xFFD23F }, { 0.2, 0xDFC275 }, { 0.4, 0xB4AE98 }, { 0.6, 0x7F96AA }, { 0.8, 0x4874A3 }, { 1, 0x0D3F73 } },
	},
	[THEME_DARK] = {
		.at = {
#define COLOUR(id, light, light_alpha, dark, dark_alpha) [HUE_##id] = { dark, dark_alpha },
#include "chart/colours.def"
#undef COLOUR
		},
		.band = 0.28,
		.outer_band = 0.14,
		.heat = { { 0, 0xFFC93C }, { 0.08, 0xE9BC4E }, { 0.3, 0xA79B79 }, { 0.55, 0x6C7F92 }, { 0.8, 0x3B628B }, { 1, 0x1F3F66 } },
		.bars = { { 0, 0xFFC93C }, { 0.2, 0xDDB765 }, { 0.4, 0xB5AD94 }, { 0.6, 0x93A9BD }, { 0.8, 0x73AAD9 }, { 1, 0x5AB0F2 } },
	},
};

int heat_level(double share)
{
	const double within = share > 1 ? 1 : share > 0 ? share : 0;
	return (int)lround(within * N_HEAT_LEVELS);
}

static uint32_t channel_between(uint32_t a, uint32_t b, int shift, double part)
{
	const double from = (double)(a >> shift & 0xff), to = (double)(b >> shift & 0xff);
	return (uint32_t)lround(from + (to - from) * part) << shift;
}

static struct colour colour_between(const struct heat_stop *stops, double share)
{
	size_t i = 1;
	while (i < N_HEAT_STOPS - 1 && share > stops[i].at)
		i++;
	const struct heat_stop *a = &stops[i - 1], *b = &stops[i];
	const double part = (share - a->at) / (b->at - a->at);
	return (struct colour){ channel_between(a->rgb, b->rgb, 16, part) | channel_between(a->rgb, b->rgb, 8, part) |
		channel_between(a->rgb, b->rgb, 0, part), 1 };
}

struct colour heat_colour(const struct theme *theme, int level)
{
	return colour_between(theme->heat, (double)level / N_HEAT_LEVELS);
}

struct colour bar_colour(const struct theme *theme, double share)
{
	return colour_between(theme->bars, share);
}
