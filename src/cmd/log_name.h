/* log_name.h - what was meant to be a log, by its name: of what is in it nobody can tell any more. */
#ifndef CMD_LOG_NAME_H
#define CMD_LOG_NAME_H

#include <stdbool.h>
#include <stddef.h>

bool name_has_ending(const char *name, const char *const *endings, size_t n);
#define NAME_HAS_ENDING(name, endings) name_has_ending((name), (endings), sizeof(endings) / sizeof *(endings))

/* "gpu.csv", "vmstat.log.gz": a path or a name. */
bool is_called_a_log(const char *name);

#endif
