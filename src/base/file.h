/* file.h - small files read whole, bytes written, folders looked into. Logs are read in lines.h, reports written in folder_write.h. */
#ifndef POSTRUN_FILE_H
#define POSTRUN_FILE_H

#include "base/diag.h"

#include <dirent.h>
#include <sys/types.h>

/* The whole of a small file (rules, templates); false, with a complaint, over max_bytes. */
bool file_slurp(struct arena *mem, const char *path, size_t max_bytes, struct slice *out, struct diags *diags);
/* Up to n bytes, fewer only where there are no more; -1: errno says why. */
ssize_t fd_read(int fd, void *to, size_t n);
/* All of them, however few the system takes at a time; false: errno says why. */
bool fd_write(int fd, struct slice content);
bool path_is_folder(const char *path);
/* Makes the folders that a path is in, those that are not there; not what it names itself. False: errno says why. */
bool path_make_folders(const char *path);
/* As opendir(), to be closed by closedir(); NULL, with a complaint, when it can't be opened. Memory that runs out ends the process. */
DIR *entries_open(const char *path, struct diags *diags);
/* As readdir(); a folder that can't be read to its end is complained about. */
const struct dirent *entries_next(DIR *folder, const char *path, struct diags *diags);
/* Whatever it leads to. */
bool path_is_link(const char *path);
/* A link to what is not there. */
bool path_leads_nowhere(const char *path);
/* Plain files directly inside, and links to nowhere, full paths, sorted by name; hidden ones left out. */
const char **folder_files(struct arena *mem, const char *path, size_t *n, struct diags *diags);
/* Is there a folder directly inside? Hidden ones don't count. */
bool folder_has_folders(const char *path);
/* How long it is without the slashes at its end; "/" keeps its one. */
size_t path_bare(const char *path);
/* "a/b" of "./a//./b": as a path is spelled without what says nothing; "." of "./". Links and ".." stay. */
const char *path_plain(struct arena *mem, const char *path);
/* The last part of a path. */
const char *path_name(const char *path);
/* The same without slashes at its end; of "." and "../.." what that folder is called, seen from where we are. */
const char *path_own_name(struct arena *mem, const char *path);

#endif
