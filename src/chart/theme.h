/* theme.h - what each role looks like, in the light and in the dark theme. */
#ifndef POSTRUN_THEME_H
#define POSTRUN_THEME_H

#include "chart/canvas.h"
#include "chart/chart.h"

enum hue {
#define COLOUR(id, light, light_alpha, dark, dark_alpha) HUE_##id,
#include "chart/colours.def"
#undef COLOUR
	N_HUES
};

struct heat_stop {
	double at; /* 0 to 1 */
	uint32_t rgb;
};
#define N_HEAT_STOPS 6

struct theme {
	struct colour at[N_HUES];
	double band, outer_band; /* how much of the line's colour its bands have */
	struct heat_stop heat[N_HEAT_STOPS];
	struct heat_stop bars[N_HEAT_STOPS]; /* the same for bars, which stand on the page by themselves */
};
extern const struct theme theme_table[]; /* by enum chart_theme */

/*
 * Idle to busy: yellow in both themes is idle, so an idle GPU shouts and a working one recedes.
 * In 50 levels, so that neighbouring cells of a heat map can be joined.
 */
#define N_HEAT_LEVELS 50
int heat_level(double share);
struct colour heat_colour(const struct theme *theme, int level);
struct colour bar_colour(const struct theme *theme, double share); /* of how busy a bar is, 0 to 1 */

static inline struct colour faded(struct colour colour, double alpha)
{
	return (struct colour){ colour.rgb, alpha };
}

#endif
