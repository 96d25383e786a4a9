/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw: a trace of any release in the order of its file: batches with events in ticks, tables of
 * strings and stacks, marks between generations (internal/trace/raw of Go 1.27). The reader checks
 * only where each event ends. The events that it returns can be written again. This serves tools
 * that inspect, repair or damage files.
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
 * Traces before Go 1.22 have kinds of their own, which change from release to release:
 * gotap_raw_kind_spec() returns the meaning of a number in one release. The library reads such a
 * trace into memory when it opens the trace.
 */
#ifndef GOTAP_RAW_H
#define GOTAP_RAW_H

#include <gotap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of Go 1.22 and later that are in files only. gotap_kind_spec() accepts them, too. */
enum gotap_raw_kind {
	/* generation, m, ticks of the batch's first event, bytes that follow */
	GOTAP_RAW_EVENT_BATCH = 1,
	GOTAP_RAW_STACKS = 2,		/* first event of a batch of GOTAP_RAW_STACK */
	GOTAP_RAW_STACK = 3,		/* id, number of frames; frames */
	GOTAP_RAW_STRINGS = 4,		/* first event of a batch of GOTAP_RAW_STRING */
	GOTAP_RAW_STRING = 5,		/* id; data */
	GOTAP_RAW_CPU_SAMPLES = 6,	/* first event of a batch of GOTAP_CPU_SAMPLE, */
					/* each with: ticks, m, p, g, stack */
	GOTAP_RAW_FREQUENCY = 8,	/* ticks in a second */
	GOTAP_RAW_EXPERIMENTAL_BATCH = 49, /* experiment, generation, m, ticks; data. Since 1.23 */
	/* since 1.25: first of a batch with a Frequency and the next kind */
	GOTAP_RAW_SYNC = 50,
	/* CLOCK_MONOTONIC in ns; seconds and ns of the time of day */
	GOTAP_RAW_CLOCK_SNAPSHOT = 51,
	GOTAP_RAW_END_OF_GENERATION = 52 /* since 1.26 */
};

/* A frame of a Stack: func and file are ids of strings. Before Go 1.7 only pc is set. */
struct gotap_raw_frame {
	uint64_t pc, func, file, line;
};

struct gotap_raw_event {
	/* enum gotap_raw_kind or gotap_kind; before Go 1.22 the release's own number */
	uint32_t kind;
	uint32_t nargs;
	/* ticks since the previous event of the batch, if kinds of this number have a time */
	uint64_t ticks;
	uint64_t seq;		/* Go 1.5: number of events of all Ps before this one; else 0 */
	uint64_t args[GOTAP_MAX_ARGS];	/* in the order of gotap_raw_kind_spec() */
	/* offset of the event's first byte in the file; the writer ignores it */
	uint64_t offset;
	const struct gotap_raw_frame *frames;	/* frames of a Stack */
	size_t nframes;
	/* bytes of a String or ExperimentalBatch, before Go 1.22 of a UserLog */
	const void *data;
	size_t len;
};

/*
 * Fills @spec with the specification of @kind in files with the header go 1.@version. @size is
 * sizeof(*@spec). Version 4 stands for the format before Go 1.5. For 22 and later the result is
 * that of gotap_kind_spec(). For older versions is_written, category and experiment are 0 (facts:
 * runtime/trace.go of Go 1.5 to 1.21). Returns 0, or -EINVAL, without a change to @spec, if there
 * is no such version or no such kind in it.
 */
GOTAP_API int gotap_raw_kind_spec(int version, unsigned int kind, struct gotap_kind_spec *spec,
				  size_t size);
/* The kind with this name in files with the header go 1.@version; -EINVAL if there is none. */
GOTAP_API int gotap_raw_kind_named(int version, const char *name, size_t len);

/* --- reading --- */

struct gotap_raw_reader;

/*
 * Opens a trace; gotap_raw_close() frees *@ret. Returns 0, or -EINVAL: the input is not a trace;
 * -ENOTSUP: its release is not known; or the negative errno of open(2), of read(2) or of the
 * caller's read function.
 */
GOTAP_API int gotap_raw_open(struct gotap_raw_reader **ret, const struct gotap_input *in,
			     struct gotap_error *err);
/* NN of the file's header go 1.NN; 4 for the format before Go 1.5. */
GOTAP_API int gotap_raw_version(const struct gotap_raw_reader *r);
/*
 * Returns 1 with the next event in @ev, or 0 at the end of the trace. @size is sizeof(*@ev). The
 * reader owns the frames and the data, which are valid until the next call. -EINVAL, -EBADMSG: the
 * bytes are not an event, or it is longer than 16 MiB, which no Go program writes; -ENODATA: a
 * trace before Go 1.22 ends inside an event; or the negative errno of read(2) or of the caller's
 * read function. After an error every further call returns the same error.
 */
GOTAP_API int gotap_raw_next(struct gotap_raw_reader *r, struct gotap_raw_event *ev, size_t size);
/* The error of gotap_raw_next(), with its place in the file. Valid until gotap_raw_close(). */
GOTAP_API const struct gotap_error *gotap_raw_error(const struct gotap_raw_reader *r);
/* Closes the trace and frees @r, which may be NULL. */
GOTAP_API void gotap_raw_close(struct gotap_raw_reader *r);

/* --- as text --- */

/*
 * Writes the file from @in to @fd as the text that `gotap text` prints (docs/text.md). The caller
 * closes @fd. @binary names addresses, as in struct gotap_read_options, or is NULL. Errors are
 * those of gotap_raw_open() and gotap_raw_next(), the negative errno of write(2), and -EINVAL if
 * @binary is not a Go program. In a damaged trace all events before the damage are written.
 */
GOTAP_API int gotap_raw_to_text(const struct gotap_input *in, int fd, const char *binary,
				struct gotap_error *err);
/*
 * Reads a text of gotap_raw_to_text() from @in and writes the trace to @fd, as `gotap wire` does.
 * The caller closes @fd. -EINVAL: the text is not that of a trace, and @err names the line. Other
 * errors are the negative errno of open(2), read(2), write(2) or of the caller's read function.
 */
GOTAP_API int gotap_raw_from_text(const struct gotap_input *in, int fd, struct gotap_error *err);

/* --- writing --- */

struct gotap_raw_writer;

/*
 * Begins a file with the header go 1.@version on @fd. The caller closes @fd after it has closed the
 * writer. Versions: 22, 23, 25, 26; 5, 7 to 11, 19, 21; 4 for the format before Go 1.5. -EINVAL for
 * any other version. The writer buffers its output: gotap_raw_writer_close() writes the rest.
 */
GOTAP_API int gotap_raw_writer_new(struct gotap_raw_writer **ret, int fd, int version,
				   struct gotap_error *err);
/*
 * Adds @ev in the encoding of that release's runtime, which is the shortest one with few
 * exceptions. @size is sizeof(*@ev). The function does not check whether the event makes sense at
 * this place. -EINVAL: the version has no such kind, the kind has another number of arguments or
 * frames, or the event has data and its kind has none; or the negative errno of write(2).
 */
GOTAP_API int gotap_raw_write(struct gotap_raw_writer *w, const struct gotap_raw_event *ev,
			      size_t size);
/*
 * The number of bytes that gotap_raw_write() would add, as the argument size of an EventBatch needs
 * it. Errors are those of gotap_raw_write().
 */
GOTAP_API int64_t gotap_raw_size(struct gotap_raw_writer *w, const struct gotap_raw_event *ev,
				 size_t size);
/* The error of the last call on @w. Valid until @w is freed. */
GOTAP_API const struct gotap_error *gotap_raw_writer_error(const struct gotap_raw_writer *w);
/*
 * Writes the buffered rest and frees @w. Returns 0 if the file has every byte, or the negative
 * errno of the first write(2) that failed.
 */
GOTAP_API int gotap_raw_writer_close(struct gotap_raw_writer *w, struct gotap_error *err);
/* Frees @w without a write of the buffered rest. @w may be NULL. */
GOTAP_API void gotap_raw_writer_free(struct gotap_raw_writer *w);

#ifdef __cplusplus
}
#endif

#endif
