/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: the events of a Go execution trace of any release, from before Go 1.5
 * on, in an order in which every goroutine, P and thread makes only possible
 * steps.
 *
 *	struct gotap_reader *r;
 *	struct gotap_event ev;
 *	struct gotap_error err;
 *	int ret;
 *
 *	if (gotap_open(&r, "trace.out", NULL, &err))
 *		errx(1, "%s", err.text);
 *	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0)
 *		printf("%lld %s\n", (long long)ev.time, gotap_kind_name(ev.kind));
 *	if (ret < 0)
 *		errx(1, "%s", gotap_reader_error(r)->text);
 *	gotap_close(r);
 *
 * Traces of Go 1.22 and later are read as they come, from a pipe too, in the
 * memory that one generation (about a second of the program's life) needs.
 * Older ones have their tables at the end: they are read whole by gotap_open()
 * and shown as Go 1.22 would have written them.
 */
#ifndef GOTAP_READER_H
#define GOTAP_READER_H

#include <gotap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotap_reader;

struct gotap_read_options {
	size_t size;		/* sizeof(struct gotap_read_options) */
	/*
	 * The traced program, or NULL: names the frames of traces before
	 * Go 1.7, which hold addresses only. Not used for others.
	 */
	const char *binary;
};

enum gotap_resource {
	GOTAP_NOTHING,
	GOTAP_GOROUTINE,	/* states are enum gotap_go_state */
	GOTAP_PROC,		/* states are enum gotap_proc_state */
};

/* The effect of an event on a goroutine or P, which need not be the event's own. */
struct gotap_change {
	uint32_t of;		/* enum gotap_resource */
	uint32_t from, to;
	uint32_t unused;
	uint64_t id;
};

struct gotap_event {
	int64_t time;		/* ns on the clock of the traced program, strictly increasing */
	uint32_t kind;		/* enum gotap_kind; a later library may give more */
	uint32_t nargs;
	uint64_t args[GOTAP_MAX_ARGS];	/* as gotap/event.h lists them */
	uint64_t m, p, g;	/* where it happened, before its effect; GOTAP_NONE = nowhere */
	uint64_t stack;		/* id of where the program was, 0 = not known */
	struct gotap_change change;
	const char *task;	/* type of the task of a UserTaskBegin or UserTaskEnd, else "" */
	uint64_t offset;	/* in the file; 0 in traces before Go 1.22 */
};

struct gotap_trace_info {
	int version;		/* NN of the file's header go 1.NN; 4 for those before Go 1.5 */
	int has_clock;		/* the following holds (headers 1.25 and later) */
	uint64_t generation;	/* of the last event, 0 outside of one */
	int64_t time;		/* an event's time ... */
	uint64_t mono_ns;	/* ... CLOCK_MONOTONIC at that instant ... */
	uint64_t wall_sec, wall_nsec;	/* ... and the time of day */
};

/*
 * Opens the trace at @path, "-" for standard input. @options may be NULL.
 * -EINVAL: no trace; -ENOTSUP: of a release that is not known; -EBADMSG or
 * -EINVAL: a trace before Go 1.22 that is damaged.
 */
GOTAP_API int gotap_open(struct gotap_reader **ret, const char *path,
			 const struct gotap_read_options *options, struct gotap_error *err);
/* Reads the @n bytes at @data, which must outlive the reader. */
GOTAP_API int gotap_open_memory(struct gotap_reader **ret, const void *data, size_t n,
				const struct gotap_read_options *options,
				struct gotap_error *err);
/* Accepts NULL. */
GOTAP_API void gotap_close(struct gotap_reader *r);

/*
 * 1 and the next event in @ev, of which @size is the size; 0 at the end; a
 * negative errno where the trace is damaged, and from then on. What came
 * before the damage is as good as ever.
 */
GOTAP_API int gotap_next(struct gotap_reader *r, struct gotap_event *ev, size_t size);
/* The damage that gotap_next() met: place, event, rule. Holds until gotap_close(). */
GOTAP_API const struct gotap_error *gotap_reader_error(const struct gotap_reader *r);

/* About the trace and the generation of the last event; @size is that of @info. */
GOTAP_API void gotap_reader_info(const struct gotap_reader *r, struct gotap_trace_info *info,
				 size_t size);

/*
 * Ids of strings and stacks belong to the generation of the last event: what
 * these give holds until the next call of gotap_next().
 */

/* The text of string @id, @len bytes without a NUL; "" for 0; NULL if there is none. */
GOTAP_API const char *gotap_string(const struct gotap_reader *r, uint64_t id, size_t *len);
/*
 * Number of frames of stack @id, of which at most @max are put to @frames, leaf
 * first; @size is sizeof(struct gotap_frame). 0 if there is no such stack.
 */
GOTAP_API size_t gotap_stack(const struct gotap_reader *r, uint64_t id,
			     struct gotap_frame *frames, size_t size, size_t max);

#ifdef __cplusplus
}
#endif

#endif
