/* file_options.h - options about inputs that have no effect. */
#ifndef POSTRUN_FILE_OPTIONS_H
#define POSTRUN_FILE_OPTIONS_H

#include "cmd/inputs.h"

/*
 * All inputs are read, and their clocks not settled yet. Each option that names no input, or only logs that tell by themselves what it
 * says of them, is a complaint: who gave it believes that it did something.
 */
void file_options_check(const struct input_request *q, const struct run *run, struct diags *diags);

#endif
