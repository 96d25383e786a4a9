/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_file: the file of threads (threads/file.h) beside a Go trace: written by `gotap record`
 * and `gotap assemble` if the trace is a regular file and group linux is recorded, and found by
 * the commands that read a trace.
 */
#ifndef GOTAP_FILES_THREAD_FILE_H
#define GOTAP_FILES_THREAD_FILE_H

#include "files/output.h"
#include "oncpu/oncpu.h"
#include "threads/file.h"

struct thread_file {
	struct output out;
	char *path;
	struct threads *threads;
	struct threads_writer *writer;
	struct error *failed;	/* the error of thread_file_try(); NULL: it did not fail */
	bool kept;		/* the file is whole and has its name */
};

#define THREAD_FILE_CLOSED { .out = OUTPUT_CLOSED }

/*
 * Opens the file beside @trace, which is open, before rights are given up. 0 also if @trace is no
 * regular file: then there is none, and the other functions do nothing.
 */
int thread_file_place(struct thread_file *f, const struct output *trace, struct error *err);
/*
 * -EINVAL: the file beside @trace, which is open, is an input (claims.h). It would be replaced,
 * or removed as that of an older trace.
 */
int thread_file_check_place(const struct output *trace, struct error *err);
/* Begins to write. To be called before the first record. */
int thread_file_start(struct thread_file *f, struct threads *t, const struct capture_info *info,
		      struct error *err);
/*
 * Opens and begins, if it is not known yet whether there will be records. If there are any,
 * thread_file_finish() returns the error.
 */
void thread_file_try(struct thread_file *f, const struct output *trace, struct threads *t,
		     const struct capture_info *info);
/*
 * To be called before the records of @c: writes its clocks, by which readers recognize a file of
 * another boot.
 */
void thread_file_clock(struct thread_file *f, const struct chunk *c);
/*
 * @keep: the trace is kept, and so is this file, if it has any record. Accepts one that was not
 * started.
 */
int thread_file_finish(struct thread_file *f, bool keep, struct error *err);
/*
 * output_close() of the trace, after thread_file_finish(). If the trace has no file of threads,
 * an older one beside a trace of the same name is removed. Returns 0 or a negative errno.
 */
int thread_file_close_trace(const struct thread_file *f, struct output *trace, bool keep,
			    struct error *err);

/*
 * Opens the file beside @trace for reading along with it. *@ret is NULL if there is none, or
 * @trace is standard input. An error is one of a file that is there.
 */
int thread_file_open(struct oncpu **ret, struct spans *s, const char *trace, struct error *err);
/*
 * To be called when the trace was read: reads the rest of the file. False: the file is of another
 * recording, which is printed on stderr, and the caller must not show its numbers; or @o is NULL.
 * If the file is damaged, that is printed and *@failed is set.
 */
bool thread_file_check(struct oncpu *o, const struct spans *s, const char *trace, bool *failed);

#endif
