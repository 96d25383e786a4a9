/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: writes a trace of any release, or a part of it, as another trace of any release, which
 * `gotap check` and Go's own readers accept, as `gotap convert` does (docs/convert.md).
 *
 *	struct gotap_input in = { 0 };
 *	struct gotap_rewrite_options options = { 0 };
 *
 *	in.size = sizeof(in);
 *	in.path = "trace.out";
 *	options.size = sizeof(options);
 *	options.from = 2000000000;
 *	options.to = 3000000000;
 *	if (gotap_rewrite(&in, fd, &options, NULL, 0, &err))
 *		errx(1, "%s", err.text);
 *
 * A part begins with the states of all goroutines and Ps at its begin. Damaged bytes are left out:
 * added transitions join the events before the damage with those after it. The function holds one
 * generation of the trace in memory; of a trace before Go 1.22 it holds the whole trace.
 */
#ifndef GOTAP_REWRITE_H
#define GOTAP_REWRITE_H

#include <gotap/gotap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All members 0, but size: the whole trace in its own format. */
struct gotap_rewrite_options {
	size_t size;		/* sizeof(struct gotap_rewrite_options) */
	/*
	 * NN of the header go 1.NN of the result: 22, 23, 25, 26, or a format before Go 1.22 for
	 * older tools: 4 (before Go 1.5), 8, 11, 19, 21. 0: the header of the original, at least
	 * 22.
	 */
	int version;
	int strip_stacks;	/* 1: the result has no stacks */
	int64_t from, to;	/* in ns since the first event; to 0: until the end */
	/*
	 * Goroutines: the result has only their transitions, and those of the Ps and threads on
	 * which they run. NULL: the transitions of all goroutines.
	 */
	const uint64_t *goroutines;
	size_t ngoroutines;
	const char *binary;	/* as in struct gotap_read_options */
};

/*
 * The number of kinds that gotap_left_text() names. A later version of the library may have more.
 */
enum { GOTAP_LEFT_KINDS = 28 };

/*
 * Counts of the events in the result, and of the parts of the original that the result lacks. If
 * all counts but @events are 0, the original is undamaged and the result is complete.
 */
struct gotap_rewrite_result {
	/*
	 * Events in the result, with the added ones, without CPU samples. If the result has a
	 * format before Go 1.22: the events from which it was made.
	 */
	uint64_t events;
	uint64_t joined;	/* added events: transitions over damage, or that readers require */
	uint64_t dropped;	/* events for which the result has no place */
	/* things that the format of the result cannot express: left out or simplified */
	uint64_t left;
	uint64_t faults;	/* damaged places in the original */
	uint64_t resumed;	/* 1: the result has events after the first damaged place */
	uint64_t lost_bytes;	/* bytes of the original that are left out at damaged places */
	uint64_t lost_events;	/* before Go 1.22: events that were read but follow lost ones */
	/* stacks and strings that are lost in damaged places and that events refer to */
	uint64_t lost_names;
	/* before Go 1.11: wake-ups after which the goroutine blocked again at once, left out */
	uint64_t futile;
	/* clock snapshots that got a later time: a snapshot must be later than the one before it */
	uint64_t clocks;
	uint64_t lost_data;	/* batches of experimental data, which header go1.22 cannot have */
	uint64_t ran;		/* 1: one of the requested goroutines runs in the result */
	/* 1: stacks have addresses only, and gotap_rewrite_options.binary would name them */
	uint64_t unnamed_pcs;
	/* 1: the clock frequency is lost, too, and a tick is shown as a nanosecond */
	uint64_t no_frequency;
	char fault[640];	/* the first damage and its place; "": none */
	/*
	 * The parts of left and of joined by kind (gotap_left_text() has the text of each kind). A
	 * kind is a part of joined if gotap_left_is_added() is true, else of left. If the result
	 * has a format of Go 1.22 or later, all are 0 except those of texts and stacks that were
	 * cut.
	 */
	uint64_t by_kind[GOTAP_LEFT_KINDS];
};

/*
 * Rewrites the trace from @in to @fd, which the caller closes. @options and @result may be NULL.
 * @size is sizeof(*@result), which is filled on success. Returns 0 or:
 *   -EINVAL	the input is not a trace, or options contradict each other
 *   -ENODATA	no part of the trace is left
 *   -ENOENT	one of the goroutines is not in the requested part
 *   -ENOTSUP	the requested header cannot express the trace
 *   or the negative errno of open(2), read(2), write(2) or of the caller's read function
 * The bytes that were written before an error are not a valid trace.
 */
GOTAP_API int gotap_rewrite(const struct gotap_input *in, int fd,
			    const struct gotap_rewrite_options *options,
			    struct gotap_rewrite_result *result, size_t size,
			    struct gotap_error *err);

/*
 * The text of a kind of things that a format cannot express or that it needs in addition, such as
 * "switches of coroutines, written as their three steps". Constant text; NULL if there is no such
 * kind.
 */
GOTAP_API const char *gotap_left_text(unsigned int kind);
/*
 * 1 if events were added for this kind (part of joined); 0 if the kind is a part of left, or
 * unknown.
 */
GOTAP_API int gotap_left_is_added(unsigned int kind);

#ifdef __cplusplus
}
#endif

#endif
