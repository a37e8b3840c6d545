/* run_own.h - results of an earlier report or batch that lie among the logs: no runs. */
#ifndef CMD_RUN_OWN_H
#define CMD_RUN_OWN_H

#include <stdbool.h>

/* What a file says of the folder it is in, by its name and its first bytes: marks, to be joined by |; 0: nothing. */
unsigned own_marks(const char *path);
/* Is a file, or a folder, in a folder with these marks ours? */
bool own_file(unsigned marks, const char *path);
bool own_folder(unsigned marks, const char *name);

#endif
