/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool: a recording as a file: struct capture_info, which describes the target for the assembler,
 * then the chunks in their order. `gotap assemble` makes a trace of it without root and without the
 * process.
 */
#ifndef GOTAP_STREAM_SPOOL_H
#define GOTAP_STREAM_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "stream/chunk.h"

/* Facts about the target and the recording that no record has. */
/* A plugin of the program (live/module.h). */
struct capture_plugin {
	char path[4096];
	char build_id[128];
	uint64_t bias;
};

enum { CAPTURE_PLUGINS = 4 };	/* the BPF programs distinguish at most 4 */

/* A text of a trace has 1024 bytes at most. */
enum { CAPTURE_ORIGINS = 2, CAPTURE_ORIGIN_SIZE = 1024 + 1 };

struct capture_info {
	char exe[4096];		/* path of the executable, for symbols */
	char build_id[128];
	char go_version[64];
	uint32_t go_minor;	/* NN of go1.NN */
	uint32_t pid;
	uint64_t bias;
	uint32_t stack_depth;
	uint16_t launched;	/* 1: gotap started the program and traced it from its exec on */
	uint16_t machine;	/* e_machine of the executable (symbol/goarch.h); 0: amd64 */
	uint32_t unseen_unblocks;	/* struct plan.unseen_unblocks */
	uint32_t n_plugins;
	struct capture_plugin plugins[CAPTURE_PLUGINS];
	/* texts of log events that say which program it is of (read/origin.h); "": none */
	char origin[CAPTURE_ORIGINS][CAPTURE_ORIGIN_SIZE];
};

struct spool_writer;
struct spool_reader;

/* Begins a file on @fd, which the caller closes; @name is for error texts. */
int spool_create(struct spool_writer **ret, int fd, const char *name,
		 const struct capture_info *info, struct error *err);
/* Writes @c. When this returns the chunk is in the file. */
int spool_write(struct spool_writer *w, const struct chunk *c, struct error *err);
/* Accepts NULL. */
void spool_writer_free(struct spool_writer *w);

int spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
	       struct error *err);
/*
 * As spool_open(), with a descriptor that is at the begin of the file; @name is for error texts.
 * Takes @fd, and closes it on a failure, too.
 */
int spool_open_fd(struct spool_reader **ret, int fd, const char *name, struct capture_info *info,
		  struct error *err);
/* Bytes that were read so far. */
uint64_t spool_read_bytes(const struct spool_reader *r);
/* Times of the chunks, as their heads have them. */
struct spool_times {
	/* time of the first record, and the last watermark, in ns; both 0: no chunk */
	uint64_t begin, end;
	/*
	 * time of day at CLOCK_MONOTONIC 0, in ns: the least and the greatest value in the file,
	 * which differ if the clock was set
	 */
	int64_t wall_min, wall_max;
	bool has_clock;		/* wall_min and wall_max are valid */
	bool cut;		/* the file ends inside a chunk */
};

/*
 * Reads the heads of all chunks that were not read yet. For a file that cannot seek @ret is zeroed.
 */
void spool_times(struct spool_reader *r, struct spool_times *ret);
/*
 * Reads the next chunk into @c, with reuse of its storage. Returns 1, or 0 at the end, or -errno;
 * -EBADMSG: the file ends inside a chunk.
 */
int spool_read(struct spool_reader *r, struct chunk *c, struct error *err);
/* Accepts NULL. */
void spool_close(struct spool_reader *r);

#endif
