/* charts.h - what a picture is: a function that draws a page from its top and returns its height. */
#ifndef POSTRUN_CHARTS_H
#define POSTRUN_CHARTS_H

#include "chart/page.h"

double card_draw(const struct page *p);     /* card.c: for tickets: answer first, evidence below */
double timeline_draw(const struct page *p); /* timeline_chart.c: for reports: every metric, no prose */
double thermal_draw(const struct page *p);  /* picture.c: these tell one thing each, and say it above */
double memory_draw(const struct page *p);
double heatmap_draw(const struct page *p);
double density_draw(const struct page *p);
double duty_draw(const struct page *p);     /* duty_chart.c: how GPU time divides by how busy the GPUs were */
double fleet_draw(const struct page *p);    /* fleet_chart.c: many runs, a row each; of p->fleet alone */
/* Title and subtitle of such a picture. */
double heading_draw(const struct page *p, const struct figure *figure);

#endif
