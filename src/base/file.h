/* file.h - small files read whole, outputs written whole or not at all, folders. Logs are read in lines.h. */
#ifndef POSTRUN_FILE_H
#define POSTRUN_FILE_H

#include "base/diag.h"

/* The whole of a small file (rules, templates); false, with a complaint, over max_bytes. */
bool file_slurp(struct arena *mem, const char *path, size_t max_bytes, struct slice *out, struct diags *diags);
/* Written beside, fsynced and renamed: afterwards there is the old file or the whole new one. */
bool file_write(const char *folder, const char *name, struct slice content, struct diags *diags);
/* Makes the folder (and its parents) unless it is there; false, with a complaint. */
bool folder_make(const char *path, struct diags *diags);
bool path_is_folder(const char *path);
/* Plain files directly inside, full paths, sorted by name; hidden ones left out. */
const char **folder_files(struct arena *mem, const char *path, size_t *n, struct diags *diags);
/* The last part of a path. */
const char *path_name(const char *path);

#endif
