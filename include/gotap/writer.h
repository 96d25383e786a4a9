/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: a trace in the format of Go 1.22 and later, which Go's tools open.
 *
 *	gotap_writer_new(&w, fd, NULL, &err);
 *	gotap_generation(w, NULL);
 *	gotap_write(w, m, time, GOTAP_PROC_STATUS, 2, (uint64_t[]){ p, GOTAP_STATUS_PROC_RUNNING });
 *	...
 *	gotap_writer_close(w, &err);
 *
 * Events go to the stream of a thread, each stream in order of time. The
 * library does the framing, the tables and the numbers in them. What may
 * follow what is the caller's affair: `gotap check` says whether readers will
 * take the result. In short: every goroutine and P begins with a status (in
 * the first generation) or a create; a thread starts a P before it starts a
 * goroutine; seq rises by one with each event that has one, per goroutine and
 * per P, and begins again at 1 after each status; each later generation begins with
 * the status of all goroutines and Ps that exist.
 */
#ifndef GOTAP_WRITER_H
#define GOTAP_WRITER_H

#include <gotap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotap_writer;

struct gotap_write_options {
	size_t size;		/* sizeof(struct gotap_write_options) */
	int version;		/* NN of header go 1.NN: 22, 23, 25 or 26; 0 is 25 */
};

/* Two clocks at one instant; headers 1.25 and 1.26 carry it. */
struct gotap_clock {
	uint64_t time;		/* an event's time */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC */
	uint64_t wall_sec, wall_nsec;
};

/*
 * Begins a trace on @fd, which stays the caller's, and writes its header.
 * @options may be NULL.
 */
GOTAP_API int gotap_writer_new(struct gotap_writer **ret, int fd,
			       const struct gotap_write_options *options,
			       struct gotap_error *err);

/*
 * Writes the generation that is open, if one is, and opens the next. Strings
 * and stacks of the last one are gone. One without an event of gotap_write() is
 * left out, since readers refuse it. @clock, copied, is to rise from one to
 * the next; NULL makes one up from the time of the first event.
 */
GOTAP_API int gotap_generation(struct gotap_writer *w, const struct gotap_clock *clock);

/*
 * The id of a text of @n bytes in this generation; 0, "", for none. Texts of
 * more than 1024 bytes are cut, as Go does it. -EINVAL: no generation is open.
 */
GOTAP_API int64_t gotap_write_string(struct gotap_writer *w, const char *text, size_t n);
/*
 * The id of a stack in this generation, 0 for none. @size is sizeof(struct
 * gotap_frame); of more than 128 frames the rest is left out. Only the leaf,
 * which comes first, may lack a name or a line. Readers take what a pc means
 * from the first frame that has it: a pc of 0, or one used for another line
 * before, is replaced by one of the library's own. -EINVAL: no generation is open.
 */
GOTAP_API int64_t gotap_write_stack(struct gotap_writer *w, const struct gotap_frame *frames,
				    size_t size, size_t n);

/*
 * Adds event @kind of thread @m (GOTAP_NONE: of none) at @time, ns from 1 on,
 * with the @nargs arguments of gotap/event.h. -EINVAL: not such an event, ids
 * that this generation does not have, a number where a status is to be that is none
 * (a state of gotap/event.h is none), or a time before the thread's last one;
 * nothing is added then.
 */
GOTAP_API int gotap_write(struct gotap_writer *w, uint64_t m, uint64_t time, unsigned int kind,
			  unsigned int nargs, const uint64_t *args);
/*
 * A sample of the CPU profile at @time, ns from 1 on, in any order; @m, @p and @g may be
 * GOTAP_NONE, @stack 0. -EINVAL: an id or a time that there is not.
 */
GOTAP_API int gotap_write_sample(struct gotap_writer *w, uint64_t m, uint64_t time, uint64_t p,
				 uint64_t g, uint64_t stack);

/*
 * Adds @n bytes, at most 65536, of data of @experiment (enum gotap_experiment), which thread @m
 * (GOTAP_NONE: none) wrote at @time, ns. They are the generation's, in the order of the calls.
 * -EINVAL: no experiment of header 1.23 and later, or too much.
 */
GOTAP_API int gotap_write_data(struct gotap_writer *w, uint64_t m, uint64_t time,
			       unsigned int experiment, const void *data, size_t n);

/* Why the last call on @w failed. */
GOTAP_API const struct gotap_error *gotap_writer_error(const struct gotap_writer *w);

/*
 * Writes the generation that is open and frees @w. Returns the error of an earlier
 * write again; a trace without any event is an error, too. 0 means that the trace is
 * complete.
 */
GOTAP_API int gotap_writer_close(struct gotap_writer *w, struct gotap_error *err);
/* Frees @w without that. Accepts NULL. */
GOTAP_API void gotap_writer_free(struct gotap_writer *w);

#ifdef __cplusplus
}
#endif

#endif
