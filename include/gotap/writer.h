/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: writes a trace in the format of Go 1.22 and later, which Go's tools open.
 *
 *	gotap_writer_new(&w, fd, NULL, &err);
 *	gotap_generation(w, NULL);
 *	gotap_write(w, m, time, GOTAP_PROC_STATUS, 2, (uint64_t[]){ p, GOTAP_STATUS_PROC_RUNNING });
 *	...
 *	gotap_writer_close(w, &err);
 *
 * Each event belongs to the stream of a thread; the events of a stream come in the order of their
 * times. The library makes the batches, the tables and the ids. It does not check the order of
 * transitions: `gotap check` shows whether readers accept the result. The rules in short: the first
 * event of a goroutine or P is a status (in the first generation) or a create. A thread starts a P
 * before it starts a goroutine. seq rises by one with each event of a goroutine or P that has a
 * seq, and is 1 again after each status. Each later generation begins with the status of all
 * goroutines and Ps that exist.
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
	int version;		/* NN of the header go 1.NN: 22, 23, 25 or 26; 0: 25 */
};

/* The times of three clocks at one instant, which headers 1.25 and 1.26 have. */
struct gotap_clock {
	uint64_t time;		/* on the clock of the events */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC, in ns */
	uint64_t wall_sec, wall_nsec;
};

/*
 * Begins a trace on @fd and writes its header. The caller closes @fd after it has closed the
 * writer. @options may be NULL. gotap_writer_close() frees *@ret. -EINVAL: no such version; or the
 * negative errno of write(2).
 */
GOTAP_API int gotap_writer_new(struct gotap_writer **ret, int fd,
			       const struct gotap_write_options *options,
			       struct gotap_error *err);

/*
 * Writes the open generation, if there is one, and opens the next one. Ids of strings and stacks of
 * the written generation are no longer valid. A generation without an event of gotap_write() is
 * left out, since readers refuse it. The function copies @clock, which must increase from
 * generation to generation. NULL: the library derives a clock from the time of the first event.
 */
GOTAP_API int gotap_generation(struct gotap_writer *w, const struct gotap_clock *clock);

/*
 * The id of the text @text of @n bytes in this generation; 0 for an empty text. Texts of more than
 * 1024 bytes are cut, as Go's runtime cuts them. -EINVAL: no generation is open.
 */
GOTAP_API int64_t gotap_write_string(struct gotap_writer *w, const char *text, size_t n);
/*
 * The id of a stack in this generation, 0 for an empty one. @size is sizeof(struct gotap_frame).
 * Frames beyond 128 are left out. Only the leaf, which is the first frame, may lack a function name
 * or a line. Readers take the function and line of a pc from the first frame that has the pc.
 * Therefore the library replaces a pc of 0, and a pc that an earlier frame has with another line,
 * by a pc of its own. -EINVAL: no generation is open.
 */
GOTAP_API int64_t gotap_write_stack(struct gotap_writer *w, const struct gotap_frame *frames,
				    size_t size, size_t n);

/*
 * Adds an event @kind of thread @m (GOTAP_NONE: no thread) at @time, in ns from 1 on, with the
 * @nargs arguments that gotap/event.h lists. -EINVAL, and no event is added: the kind or the number
 * of arguments is wrong, an id is not one of this generation, an argument that must be a status is
 * none (a state of gotap/event.h is not a status), or @time is before the thread's last event.
 */
GOTAP_API int gotap_write(struct gotap_writer *w, uint64_t m, uint64_t time, unsigned int kind,
			  unsigned int nargs, const uint64_t *args);
/*
 * Adds a sample of the CPU profile at @time, in ns from 1 on. Samples may come in any order. @m, @p
 * and @g may be GOTAP_NONE, @stack may be 0. -EINVAL: the stack's id or the time is not valid.
 */
GOTAP_API int gotap_write_sample(struct gotap_writer *w, uint64_t m, uint64_t time, uint64_t p,
				 uint64_t g, uint64_t stack);

/*
 * Adds @n bytes, at most 65536, of data of @experiment (enum gotap_experiment), which thread @m
 * (GOTAP_NONE: no thread) wrote at @time, in ns. The generation has the data in the order of the
 * calls. -EINVAL: header 1.23 and later have no such experiment, or @n is too large.
 */
GOTAP_API int gotap_write_data(struct gotap_writer *w, uint64_t m, uint64_t time,
			       unsigned int experiment, const void *data, size_t n);

/* The error of the last call on @w. Valid until @w is freed. */
GOTAP_API const struct gotap_error *gotap_writer_error(const struct gotap_writer *w);

/*
 * Writes the open generation and frees @w. Returns 0 if the trace is complete. Returns the error of
 * an earlier write(2) again, and an error for a trace without an event.
 */
GOTAP_API int gotap_writer_close(struct gotap_writer *w, struct gotap_error *err);
/* Frees @w without a write of the open generation. @w may be NULL. */
GOTAP_API void gotap_writer_free(struct gotap_writer *w);

#ifdef __cplusplus
}
#endif

#endif
