/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: a file that a command writes. Owns the rule that no file is lost: a regular
 * file is written as NAME.partial in the same folder, locked, and takes its name by a
 * rename once it is whole. Until then NAME is as it was before. If gotap is killed,
 * NAME.partial stays and holds what was written; the next command with that name moves
 * it aside and says so (leftover.h).
 *
 * Where that cannot be done (the folder may not be written, or is sticky and NAME another
 * user's; NAME is a mount point, a pipe, a device, a standard file) the command writes to
 * the file itself.
 *
 * No output overwrites what the same command reads or writes elsewhere (claims.h).
 */
#ifndef GOTAP_FILES_OUTPUT_H
#define GOTAP_FILES_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * The kind of the contents: a trace or raw records are not for a terminal, a text is. OUTPUT_SECRET
 * is binary and for the owner of the file alone: a new file has the mode 0600 from its beginning,
 * and one that was there loses the rights of all others.
 */
enum output_form { OUTPUT_BINARY, OUTPUT_TEXT, OUTPUT_SECRET };

struct output {
	int fd;
	enum output_form form;
	const char *path;	/* the name for messages; valid after output_close() */
	int dir;		/* folder of name and partial, O_PATH; -1: none is needed */
	char *name, *partial;	/* partial NULL: it is written in place */
	bool truncates;		/* written in place; output_begin() empties the file */
	bool replaces;		/* whether a file has the name, and which: */
	dev_t dev;
	ino_t ino;
	/* the path of an unfinished file of this name; NULL: there was none */
	char *leftover;
	int claim;		/* claims.h; 0: none */
};

#define OUTPUT_CLOSED { .fd = -1, .dir = -1 }

/*
 * "-" is stdout. Refuses a terminal for what is not text. Refuses what another user has put into
 * a folder that anyone may write to, as fs.protected_regular, fs.protected_fifos and
 * fs.protected_symlinks have it. -EBUSY: another gotap writes that file. -EINVAL: this gotap
 * reads or writes it. -EPERM: a secret would be written in place to a file of which gotap may not
 * take the rights of others.
 */
int output_open(struct output *o, const char *path, enum output_form form, struct error *err);
/* Returns the path of the unfinished file of @path. The caller frees it. */
char *output_partial(const char *path);
/* Returns whether descriptor @fd leads to the same file. Never for devices. */
bool output_is(const struct output *o, int fd);
/* Returns whether the path is that of a regular file now: only such a one can be read again. */
bool output_is_regular(const struct output *o);
/*
 * Begins to write: empties a file that is written in place, and takes the rights of others to it if
 * the contents are secret.
 */
int output_begin(const struct output *o, struct error *err);
/*
 * Closes the output. @keep: the file gets its name; false: the new file is removed, and a file that
 * was there before is unchanged. Accepts a closed output.
 */
int output_close(struct output *o, bool keep, struct error *err);

#endif
