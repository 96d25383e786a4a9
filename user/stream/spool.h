/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool: a capture as a file: struct capture_info, which describes the target for the
 * assembler, then the chunks as they came. `gotap assemble` turns one into a trace with
 * neither root nor the process.
 */
#ifndef GOTAP_STREAM_SPOOL_H
#define GOTAP_STREAM_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "stream/chunk.h"

/* Facts of the target and the capture that are in no record. */
/* A plugin of the program (live/module.h). */
struct capture_plugin {
	char path[4096];
	char build_id[128];
	uint64_t bias;
};

enum { CAPTURE_PLUGINS = 4 };	/* more are not told apart by the BPF programs anyway */

struct capture_info {
	char exe[4096];		/* path of the executable, for symbols */
	char build_id[128];
	char go_version[64];
	uint32_t go_minor;	/* NN of go1.NN */
	uint32_t pid;
	uint64_t bias;
	uint32_t stack_depth;
	uint32_t launched;	/* traced from exec on */
	uint32_t unseen_unblocks;	/* struct plan says so */
	uint32_t n_plugins;
	struct capture_plugin plugins[CAPTURE_PLUGINS];
};

struct spool_writer;
struct spool_reader;

/* Writes to @fd, which stays the caller's; @name is for errors. */
int spool_create(struct spool_writer **ret, int fd, const char *name,
		 const struct capture_info *info, struct error *err);
/* The chunk is in the file when this returns. */
int spool_write(struct spool_writer *w, const struct chunk *c, struct error *err);
/* Accepts NULL. */
void spool_writer_free(struct spool_writer *w);

int spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
	       struct error *err);
/* Times of the chunks, as their heads have them. */
struct spool_times {
	/* of the first record, and the last watermark; both 0: there is no chunk */
	uint64_t begin, end;
	/* the time of day at CLOCK_MONOTONIC 0, which steps if the clock is set */
	int64_t wall_min, wall_max;
	bool has_clock;		/* wall_* hold */
	bool cut;		/* the file ends inside a chunk */
};

/* Looks at the heads of all chunks that are still to be read. A file that cannot seek has none. */
void spool_times(struct spool_reader *r, struct spool_times *ret);
/*
 * Reads the next chunk into @c (whose storage is reused): 1, or 0 at the end,
 * or -errno. A file that ends inside a chunk gives -EBADMSG.
 */
int spool_read(struct spool_reader *r, struct chunk *c, struct error *err);
/* Accepts NULL. */
void spool_close(struct spool_reader *r);

#endif
