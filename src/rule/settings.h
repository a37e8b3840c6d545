/* settings.h - what the command line says of params: --set ID.param=VALUE. For this folder only. */
#ifndef POSTRUN_SETTINGS_H
#define POSTRUN_SETTINGS_H

#include "rule/rule.h"

struct setting {
	const char *text;    /* "gpu-hot.margin=3 C" */
	const char *option;  /* "--set gpu-hot.margin=3 C": the place of complaints */
	struct slice id, name;
	struct quantity value;
};
struct settings {
	const struct setting *at;
	size_t n;
};

/* Those that can be read, in order of their texts; complaints about the others. */
struct settings settings_read(struct arena *mem, const char *const *texts, size_t n, struct diags *diags);
/* The param has the value that the command line gives it, if that is of its kind; tells nothing. */
void settings_apply(const struct settings *settings, const char *id, struct param *param);
/* The setting made the rule wrong: what was said of the file is said of the option. */
void setting_blame(const struct setting *setting, const struct diag *said, struct diags *diags);
/* Complains when the rule has no such param, or one of another kind. */
void setting_check(struct arena *mem, const struct setting *setting, const struct rule *rule, struct diags *diags);

#endif
