/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: the samples of one profile, and two writers for them: gzipped pprof protobuf
 * (github.com/google/pprof, proto/profile.proto), and folded stacks for flame graph tools.
 *
 * Memory: each (stack, tag) once, up to PROFILE_SAMPLES. Further samples count in one sample
 * "(samples too many)", so that sums are exact. Tags beyond PROFILE_TAGS lose their labels.
 */
#ifndef GOTAP_PPROF_PROFILE_H
#define GOTAP_PPROF_PROFILE_H

#include <stdbool.h>

#include "base/map64.h"
#include "pprof/tally.h"
#include "read/raw_sink.h"
#include "spans/spans.h"

/* COMMENTS: notes that become comments; FACTS: further ones, for facts of recordings */
enum {
	PROFILE_SAMPLES = 2 << 20, PROFILE_TAGS = 256 << 10, PROFILE_COMMENTS = 100,
	PROFILE_FACTS = 16,
};

/* A kind of value in the profile, and the field of tally_item that it is. */
struct value_type {
	const char *type, *unit;
	bool ns;		/* tally_item.ns; false: tally_item.count */
};

/*
 * The amount of the measured quantity per sample. type NULL: written as "trace" and 1, as in
 * profiles of go tool trace.
 */
struct period {
	const char *type, *unit;
	uint64_t value;
};

/*
 * Labels of a sample. The texts are those of spans_text(), or constants: equal texts have one
 * address.
 */
struct tag {
	const char *labels;	/* of the goroutine, in the form of read/labels.h; "": none */
	const char *state;	/* NULL: the profile has no such label */
	const char *reason;	/* NULL: the profile has no such label */
	uint64_t bytes;		/* size of an object, as the label "bytes"; 0: no such label */
};

struct profile {
	struct spans *spans;	/* has the texts and stacks of the samples */
	const struct value_type *values;
	unsigned nvalues;
	struct period period;	/* with a type: the profile has the form of one of runtime/pprof */
	struct tally tally;
	struct vec tags;	/* struct tag; number 0 is the tag without labels */
	/* numbers of texts by address, and of tags by the numbers of their texts */
	struct map64 texts, tag_numbers;
	/* samples that lost their labels, and counts in "(samples too many)" */
	uint64_t untagged, crowded;
	struct vec comments;	/* char * */
	uint64_t comments_more;	/* comments that found no room */
	int64_t wall_ns;	/* time of day of the begin, ns; 0: not known */
	int64_t duration_ns;
	/*
	 * instead of tally_item's: @nvalues for each item of the tally, in its order; NULL: none
	 */
	const int64_t *wide;
	const char *default_type;	/* of the values; NULL: the last one */
};

void profile_init(struct profile *p, struct spans *s, const struct value_type *values, unsigned n);
void profile_free(struct profile *p);
/* Returns the number of the tag, and adds it if it is new. */
uint32_t profile_tag(struct profile *p, const struct tag *tag);
void profile_add(struct profile *p, uint32_t stack, uint32_t tag, uint64_t count, uint64_t ns);
/*
 * Returns the number of a stack of one frame with the function @name, for time or counts outside of
 * the program's code.
 */
uint32_t profile_place(struct profile *p, const char *name);
void profile_comment(struct profile *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes the profile as gzipped protobuf. @sink keeps the error of a failed write. */
void profile_write(struct profile *p, struct raw_sink *sink);
/*
 * Writes a line for each sample that is not 0: its functions, outermost first, with ';' between
 * them, and the last of its values. State and reason follow the functions, in brackets.
 */
void profile_write_folded(struct profile *p, struct raw_sink *sink);

#endif
