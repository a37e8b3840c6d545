/* head.h - the upper part of a card: answer, key figures, where the time went, findings. */
#ifndef POSTRUN_HEAD_H
#define POSTRUN_HEAD_H

#include "chart/page.h"

#define MAX_LISTED_FINDINGS 4

double verdict_draw(const struct page *p, double y);
double key_figures_draw(const struct page *p, double y);
double ledger_draw(const struct page *p, double y);
double findings_draw(const struct page *p, double y, size_t max_findings);
/* At the very bottom. */
double footer_draw(const struct page *p, double y);

#endif
