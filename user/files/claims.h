/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims: which files this process reads and writes. Owns the rule that no output overwrites an
 * input or another output. Each input is claimed when it is opened and each output when it is
 * opened; the later one of two that are the same file is refused. Files are compared by device
 * and inode, so links and open files are recognized; an output that does not exist yet is known
 * by its folder and name. A claim lasts until the process ends, since a file that was read or
 * written must not be written again; but an output that is closed may be read (`gotap record
 * --report`). For the main thread.
 */
#ifndef GOTAP_FILES_CLAIMS_H
#define GOTAP_FILES_CLAIMS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

/*
 * Claims the open file @fd as an input; @path is its name in messages, "-" for standard input.
 * -EINVAL: an output, or standard output or standard error, is the same file. Only regular files
 * are claimed.
 */
int claims_input(int fd, const char *path, struct error *err);
/* The same for a file that is not open yet; 0 if there is no such file. */
int claims_input_file(const char *path, struct error *err);
/* The same; messages name the file @name. */
int claims_input_named(const char *path, const char *name, struct error *err);
/*
 * Claims all of @paths, which ends with NULL, before the command reads or writes; "-" is standard
 * input.
 */
int claims_input_files(char *const *paths, struct error *err);
/* Returns whether the file at @path is claimed as an input. */
bool claims_is_input(const char *path);

/* An output as claims compare it: the file that gets the bytes, and the file that has the name. */
struct claims_output {
	const char *path;
	/* the folder of name; NULL: standard output has none */
	const struct stat *dir;
	/* in that folder; partial: NULL if it is written in place */
	const char *name, *partial;
	const struct stat *before;		/* the file that has the name now; NULL: none */
};

/* Checks @o. Returns -EINVAL if it is an input or another output. */
int claims_check_output(const struct claims_output *o, struct error *err);
/* Claims @o, which is open as @fd. Returns the number of the claim, from 1 on. */
int claims_add_output(const struct claims_output *o, int fd);
/*
 * Returns whether the file of that output was later claimed as an input. The output must then not
 * be written, also by a command that goes on without that input. 0 is accepted.
 */
bool claims_conflict(int number);
/*
 * Ends the claim of an output that was closed; 0 is accepted. @keep: it was written; false: it can
 * be opened again.
 */
void claims_close_output(int number, bool keep);

#endif
