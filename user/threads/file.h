/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: the records of group linux in a file beside a Go trace: TRACE.threads. The Go trace format
 * has no events for them that its readers would accept. `gotap record` and `gotap assemble` write
 * the file; user/oncpu reads it, for all commands that split the time for which goroutines run. It
 * is a spool file (stream/spool.h) with only these records, in order of time: `gotap records`
 * prints it.
 */
#ifndef GOTAP_THREADS_FILE_H
#define GOTAP_THREADS_FILE_H

#include "base/error.h"
#include "stream/spool.h"
#include "threads/threads.h"

/*
 * Returns the name of the file beside @trace; the caller frees it. For an unfinished trace
 * (X.partial, X.partial.1: files/output.h) it is the name of the unfinished file,
 * X.threads.partial.
 */
char *threads_file_name(const char *trace);
/*
 * Returns whether @path is a file of threads: a spool file with first records that are all of
 * family LINUX.
 */
bool threads_file_is(const char *path);

struct threads_writer;

/*
 * Adds a visitor to @t, which writes each record to @fd. The caller calls it before the first
 * record, and keeps @fd and @name (for errors). Returns 0 or the negative errno of write(2).
 */
int threads_writer_new(struct threads_writer **ret, struct threads *t, int fd, const char *name,
		       const struct capture_info *info, struct error *err);
/* Sets the two clocks at one instant, as in the chunks of the recording (stream/chunk.h). */
void threads_writer_clock(struct threads_writer *w, uint64_t mono_ns, uint64_t wall_ns);
/*
 * Returns the first error of writing, or 0. The caller calls it after threads_finish(). The records
 * before the error are in the file.
 */
int threads_writer_finish(struct threads_writer *w, struct error *err);
/* Accepts NULL. */
void threads_writer_free(struct threads_writer *w);

struct threads_reader;

/*
 * Opens the file at @path. Fills *@info with that of its recording. Returns 0 or a negative errno;
 * threads_reader_close() frees *@ret.
 */
int threads_reader_open(struct threads_reader **ret, const char *path, struct capture_info *info,
			struct error *err);
/*
 * Returns the threads of its records. The caller may add visitors before the first
 * threads_reader_next().
 */
struct threads *threads_reader_threads(struct threads_reader *r);
/*
 * Stores the times of the whole file. The caller calls it before the first threads_reader_next().
 */
void threads_reader_times(const struct threads_reader *r, struct spool_times *ret);
/*
 * Takes some more records: 1; 0 at the end; -errno on an error. At the end and on an error all
 * spans have ended.
 */
int threads_reader_next(struct threads_reader *r, struct error *err);
/* Returns the time up to which all records have been taken. */
uint64_t threads_reader_time(const struct threads_reader *r);
/* Accepts NULL. */
void threads_reader_close(struct threads_reader *r);

#endif
