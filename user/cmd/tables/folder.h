/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder: the files of one trace in a folder of tables:
 *
 *	DIR/TABLE/host=H/service=S/date=YYYY-MM-DD/NAME.parquet
 *	DIR/_manifest/NAME.json
 *
 * The files get their names when all of them are whole, and the manifest, which names them with
 * their sizes and checksums, is written last. So a file that has its name can be moved away at any
 * time, and a manifest means that all of its files are there.
 */
#ifndef GOTAP_CMD_TABLES_FOLDER_H
#define GOTAP_CMD_TABLES_FOLDER_H

#include <stdio.h>

#include "files/output.h"
#include "tables/tableset.h"

struct folder {
	const char *dir, *trace;	/* trace: its path; "-": standard input */
	const char *host, *service;	/* those that the user gives; NULL: those of the trace */
	bool wanted[TABLES];
	int64_t trace_id;
	/* set when the first file is opened; the folder owns them */
	char *name, *used_host, *used_service;
	char date[16];
	char *paths[TABLES];		/* below @dir */
	char *full[TABLES];		/* the same, with @dir before it */
	struct output files[TABLES];
	bool knows_host, knows_service, knows_date;
};

/* Makes the folder @dir, for later writing, before gotap gives up its rights. */
int folder_prepare(const char *dir, struct error *err);
/*
 * Begins a folder. The caller has set dir, trace, host, service, wanted and trace_id of the
 * otherwise zeroed @f.
 */
void folder_init(struct folder *f);
/* Opens all files; @folder is a struct folder. For tableset_new(). */
tableset_open_fn folder_open;
/* Gives all files their names. After an error those that have no name yet are removed. */
int folder_keep(struct folder *f, struct error *err);
/* Removes the files that have no name yet, and frees what @f owns. */
void folder_free(struct folder *f);
/* Makes the folders of @path, all but its last part, as mkdir -p does. */
int folder_make(const char *path, struct error *err);
/*
 * As output_start(), for a file that begins with the four bytes @begin. An unfinished file of that
 * name, which also begins so, is removed.
 */
int folder_start(struct output *o, const char *path, const char *begin, struct error *err);
/* Prints, on stderr, which parts of the folders' names are not known. */
void folder_tell_unknown(const struct folder *f);

/* The manifest, as JSON, of files that have their names. @fault: NULL: the trace is whole. */
struct manifest {
	const struct folder *folder;
	const struct tableset *tables;
	const char *fault;
	char checksums[TABLES][65];	/* SHA-256 of each file */
};

/* Fills @m->checksums. */
int manifest_check(struct manifest *m, struct error *err);
/* Writes it to @out, with an end of line. */
void manifest_put(FILE *out, const void *manifest);
/*
 * Removes that of an earlier run, before the first file is replaced: it is not true from then on.
 */
int manifest_remove(const struct manifest *m, struct error *err);
/* Writes it to its file. */
int manifest_write(const struct manifest *m, struct error *err);

#endif
