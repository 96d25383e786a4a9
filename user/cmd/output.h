/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: the trace file that a command writes. An existing file is left
 * alone until there is something to write; a file that this command made is
 * removed if nothing came of it.
 */
#ifndef GOTAP_CMD_OUTPUT_H
#define GOTAP_CMD_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"

struct output {
	int fd;
	const char *path;
	bool created;
};

/* "-" is stdout, which must not be a terminal. */
int output_open(struct output *o, const char *path, struct error *err);
/* Does descriptor @fd, or the file at @path, lead to the same place? Never for devices. */
bool output_is(const struct output *o, int fd);
bool output_is_file(const struct output *o, const char *path);
/* Empties an old file: writing begins now. */
int output_begin(struct output *o, struct error *err);
/* @keep false: removes a file that output_open() made. Reports what close(2) says. */
int output_close(struct output *o, bool keep, struct error *err);

#endif
