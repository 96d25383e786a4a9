/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw: a trace of any release as it stands in the file: batches with events in
 * ticks, tables of strings and stacks, marks between generations, one event
 * after another, in no order but the file's (internal/trace/raw of Go 1.27).
 * Nothing is checked but where one event ends, and what is read can be written
 * again: for tools that look at, mend or break files.
 *
 *	struct gotap_input in = { 0 };
 *
 *	in.size = sizeof(in);
 *	in.path = "trace.out";
 *	if (gotap_raw_open(&r, &in, &err))
 *		errx(1, "%s", err.text);
 *	while ((ret = gotap_raw_next(r, &ev, sizeof(ev))) > 0)
 *		if (ev.kind == GOTAP_RAW_STRING)
 *			printf("%llu %.*s\n", (unsigned long long)ev.args[0], (int)ev.len,
 *			       (const char *)ev.data);
 *
 * Traces before Go 1.22 have kinds of their own, which change from release to
 * release: gotap_raw_kind_spec() says what the numbers mean in one of them. Such
 * a trace is read into memory when it is opened.
 */
#ifndef GOTAP_RAW_H
#define GOTAP_RAW_H

#include <gotap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds that only files of Go 1.22 and later have; gotap_kind_spec() knows them, too. */
enum gotap_raw_kind {
	GOTAP_RAW_EVENT_BATCH = 1,	/* generation, m, ticks of its begin, bytes that follow */
	GOTAP_RAW_STACKS = 2,		/* first in a batch of: */
	GOTAP_RAW_STACK = 3,		/* id, number of frames; frames */
	GOTAP_RAW_STRINGS = 4,		/* first in a batch of: */
	GOTAP_RAW_STRING = 5,		/* id; data */
	GOTAP_RAW_CPU_SAMPLES = 6,	/* first in a batch of GOTAP_CPU_SAMPLE, with */
					/* ticks, m, p, g, stack */
	GOTAP_RAW_FREQUENCY = 8,	/* ticks of a second */
	GOTAP_RAW_EXPERIMENTAL_BATCH = 49, /* experiment, generation, m, ticks; data. Since 1.23 */
	GOTAP_RAW_SYNC = 50,		/* since 1.25: first in a batch of the next and Frequency */
	GOTAP_RAW_CLOCK_SNAPSHOT = 51,	/* CLOCK_MONOTONIC in ns, seconds and ns of the day */
	GOTAP_RAW_END_OF_GENERATION = 52 /* since 1.26 */
};

/* Numbers of a Stack: func and file are ids of strings. Before Go 1.7 there is the pc alone. */
struct gotap_raw_frame {
	uint64_t pc, func, file, line;
};

struct gotap_raw_event {
	/* enum gotap_raw_kind or gotap_kind; before Go 1.22 the release's */
	uint32_t kind;
	uint32_t nargs;
	/* since the event before it in its batch, if kinds of it have time */
	uint64_t ticks;
	uint64_t seq;		/* Go 1.5: how many events came between, of all Ps; else 0 */
	uint64_t args[GOTAP_MAX_ARGS];	/* as gotap_raw_kind_spec() lists them */
	uint64_t offset;	/* of its first byte in the file; not used in writing */
	const struct gotap_raw_frame *frames;	/* of a Stack */
	size_t nframes;
	const void *data;	/* of a String or ExperimentalBatch, before Go 1.22 of a UserLog */
	size_t len;
};

/*
 * Fills @spec, of which @size is the size, with what kind @kind is in files with header
 * go 1.@version; 4 stands for those before Go 1.5. For 22 and later it is gotap_kind_spec(),
 * before them is_written, category and experiment are 0 (runtime/trace.go of Go 1.5 to 1.21).
 * -EINVAL, and @spec is left alone, if that header has no such kind, or there is none.
 */
GOTAP_API int gotap_raw_kind_spec(int version, unsigned int kind, struct gotap_kind_spec *spec,
				  size_t size);
/* The kind of that name in files with that header; -EINVAL if there is none. */
GOTAP_API int gotap_raw_kind_named(int version, const char *name, size_t len);

/* --- reading --- */

struct gotap_raw_reader;

/*
 * Opens a trace. -EINVAL: it is none; -ENOTSUP: one of a release that is not known; or the errno
 * of open(2), read(2) or the caller's read function.
 */
GOTAP_API int gotap_raw_open(struct gotap_raw_reader **ret, const struct gotap_input *in,
			     struct gotap_error *err);
/* NN of the file's header go 1.NN; 4 before Go 1.5. */
GOTAP_API int gotap_raw_version(const struct gotap_raw_reader *r);
/*
 * 1 and the next event in @ev, of which @size is the size; 0 at the end. Frames and data are
 * the reader's and hold until the next call. -EINVAL, -EBADMSG: bytes that are no event, or one
 * of more than 16 MiB, which no program writes; before Go 1.22 -ENODATA: the file ends inside
 * it; or the errno of read(2) or of the caller's read function; and the same from then on.
 */
GOTAP_API int gotap_raw_next(struct gotap_raw_reader *r, struct gotap_raw_event *ev, size_t size);
/* Why gotap_raw_next() failed, with the place. Holds until gotap_raw_close(). */
GOTAP_API const struct gotap_error *gotap_raw_error(const struct gotap_raw_reader *r);
/* Accepts NULL. */
GOTAP_API void gotap_raw_close(struct gotap_raw_reader *r);

/* --- as text --- */

/*
 * Writes the file from @in to @fd, which stays the caller's, as text: what `gotap text` prints
 * (docs/text.md). @binary is NULL or as in struct gotap_read_options: it names addresses. Errors
 * are those of gotap_raw_open() and gotap_raw_next(), or the errno of write(2); what comes before
 * damage is written. -EINVAL as well: @binary is no Go program.
 */
GOTAP_API int gotap_raw_to_text(const struct gotap_input *in, int fd, const char *binary,
				struct gotap_error *err);
/*
 * Reads such a text and writes the file, as `gotap wire`. -EINVAL: the text is none of a trace, the
 * error names the line; or the errno of open(2), read(2), write(2) or the caller's read function.
 */
GOTAP_API int gotap_raw_from_text(const struct gotap_input *in, int fd, struct gotap_error *err);

/* --- writing --- */

struct gotap_raw_writer;

/*
 * Begins a file on @fd, which stays the caller's, with header go 1.@version: 22, 23, 25, 26;
 * 5, 7 to 11, 19, 21; 4 for that before Go 1.5; else -EINVAL. Bytes are collected:
 * gotap_raw_writer_close() writes the last ones.
 */
GOTAP_API int gotap_raw_writer_new(struct gotap_raw_writer **ret, int fd, int version,
				   struct gotap_error *err);
/*
 * Adds @ev, of which @size is the size, in the form that the runtime of that release writes:
 * with few exceptions the shortest one. Whether it makes sense there is the caller's affair.
 * -EINVAL: the header has no such kind, its number of arguments or frames is another one, or
 * it has data and may not; or the errno of write(2).
 */
GOTAP_API int gotap_raw_write(struct gotap_raw_writer *w, const struct gotap_raw_event *ev,
			      size_t size);
/* Bytes that gotap_raw_write() would add, for the size of an EventBatch; its errors. */
GOTAP_API int64_t gotap_raw_size(struct gotap_raw_writer *w, const struct gotap_raw_event *ev,
				 size_t size);
/* Why the last call on @w failed. */
GOTAP_API const struct gotap_error *gotap_raw_writer_error(const struct gotap_raw_writer *w);
/*
 * Writes the rest and frees @w: 0 if all is in the file, or the errno of the first write(2) that
 * failed.
 */
GOTAP_API int gotap_raw_writer_close(struct gotap_raw_writer *w, struct gotap_error *err);
/* Frees @w without that. Accepts NULL. */
GOTAP_API void gotap_raw_writer_free(struct gotap_raw_writer *w);

#ifdef __cplusplus
}
#endif

#endif
