/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: a trace of any release, or a part of it, as another trace of any
 * release, which `gotap check` and Go's own readers take: what `gotap convert`
 * does (docs/convert.md).
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
 * A part begins with the states of all goroutines and Ps at that time. What is
 * damaged is left out: what can be read before and behind it is joined by steps
 * that lead from the one to the other. In memory is one generation of the
 * trace; of one of before Go 1.22 all of it.
 */
#ifndef GOTAP_REWRITE_H
#define GOTAP_REWRITE_H

#include <gotap/gotap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros are for all of the trace. */
struct gotap_rewrite_options {
	size_t size;		/* sizeof(struct gotap_rewrite_options) */
	/*
	 * NN of header go 1.NN: 22, 23, 25, 26, or a format before Go 1.22 that older tools
	 * read: 4 for that before Go 1.5, 8, 11, 19, 21. 0: the original's, at least 22.
	 */
	int version;
	int strip_stacks;	/* 1: leave out all stacks */
	int64_t from, to;	/* ns since the first event; to 0: the end */
	/*
	 * Only the steps of these goroutines, with those of the Ps and threads that they run on.
	 * NULL: the steps of all.
	 */
	const uint64_t *goroutines;
	size_t ngoroutines;
	const char *binary;	/* as in struct gotap_read_options */
};

/* How many kinds gotap_left_text() has; a later library may have more. */
enum { GOTAP_LEFT_KINDS = 27 };

/*
 * Counts of the events in the result, and of those that it lacks. If all but @events are 0 the
 * original is whole and all of it is in the result.
 */
struct gotap_rewrite_result {
	/*
	 * Events in the result, with those that were added, without CPU samples. If the result has
	 * a format before Go 1.22: the events that it was made from.
	 */
	uint64_t events;
	uint64_t joined;	/* of them: steps that lead over damage, or that readers want */
	uint64_t dropped;	/* events that have no place in the result */
	/* what the format of the result cannot say, left out or made less */
	uint64_t left;
	uint64_t faults;	/* places where the original is damaged ... */
	uint64_t resumed;	/* ... 1 if the result has something behind the first one */
	uint64_t lost_bytes;	/* of the original, there */
	uint64_t lost_events;	/* before Go 1.22: read, but what they follow is lost */
	uint64_t lost_names;	/* stacks and strings of events that are lost there */
	/* before Go 1.11: events of wake-ups that led to nothing, left out */
	uint64_t futile;
	uint64_t clocks;	/* clocks that were set forward to be later than the one before */
	uint64_t lost_data;	/* batches of experiments that header go1.22 cannot have */
	uint64_t ran;		/* 1 if one of the goroutines asked for runs in the result */
	uint64_t unnamed_pcs;	/* 1: stacks have addresses only, and binary would name them */
	/* 1: the speed of the clock is lost, too: a tick is shown as a ns */
	uint64_t no_frequency;
	char fault[640];	/* the first one, and where; "" */
	/*
	 * The parts of left and of joined; the index is the kind, which gotap_left_text() names.
	 * Kinds for which gotap_left_is_added() is true are parts of joined. If the result has a
	 * format of Go 1.22 or later, all are 0 but those of texts and stacks that were cut.
	 */
	uint64_t by_kind[GOTAP_LEFT_KINDS];
};

/*
 * Rewrites the trace from @in to @fd, which stays the caller's. @options and @result may be
 * NULL; @size is that of @result, which is filled on success. -EINVAL: no trace, or options
 * that contradict each other; -ENODATA: nothing of the trace is left; -ENOENT: one of the
 * goroutines is not in that part; -ENOTSUP: the header cannot express it; else the errno of
 * open(2), read(2), write(2) or the caller's read function. What was written before an error
 * is of no use.
 */
GOTAP_API int gotap_rewrite(const struct gotap_input *in, int fd,
			    const struct gotap_rewrite_options *options,
			    struct gotap_rewrite_result *result, size_t size,
			    struct gotap_error *err);

/*
 * "switches of coroutines, written as their three steps": a kind of things that a format
 * cannot say, or needs beyond the original. Constant text; NULL if @kind is none.
 */
GOTAP_API const char *gotap_left_text(unsigned int kind);
/* 1 if events were added for it, which joined counts; 0 if left does, or @kind is none. */
GOTAP_API int gotap_left_is_added(unsigned int kind);

#ifdef __cplusplus
}
#endif

#endif
