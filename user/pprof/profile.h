/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: the samples of one profile as they are added up, and how they are written: as gzipped
 * pprof protobuf (github.com/google/pprof, proto/profile.proto) or as folded stacks for flame graph
 * tools.
 *
 * Memory: each (stack, tag) once, up to PROFILE_SAMPLES; what comes beyond counts in a sample
 * "(samples too many)", so that sums stay exact. Tags beyond PROFILE_TAGS have no labels.
 */
#ifndef GOTAP_PPROF_PROFILE_H
#define GOTAP_PPROF_PROFILE_H

#include <stdbool.h>

#include "base/map64.h"
#include "pprof/tally.h"
#include "read/raw_sink.h"
#include "spans/spans.h"

enum { PROFILE_SAMPLES = 2 << 20, PROFILE_TAGS = 256 << 10, PROFILE_COMMENTS = 100 };

/* A kind of value, and which one of an item it is. */
struct value_type {
	const char *type, *unit;
	bool ns;		/* tally_item.ns; else its count */
};

/*
 * The amount for which one sample was taken; type NULL: "trace" and 1, as in profiles of go tool
 * trace.
 */
struct period {
	const char *type, *unit;
	uint64_t value;
};

/*
 * Labels of a sample. Texts are those of spans_text(), or constants: equal ones are the same
 * pointer.
 */
struct tag {
	const char *labels;	/* of the goroutine, as read/labels.h has them; "" none */
	const char *state;	/* NULL: not a label of this profile */
	const char *reason;	/* NULL, as well */
};

struct profile {
	struct spans *spans;	/* whose texts and stacks are used */
	const struct value_type *values;
	unsigned nvalues;
	struct period period;	/* with a type: the profile has the form of one of runtime/pprof */
	struct tally tally;
	struct vec tags;	/* struct tag; number 0 is that without labels */
	/* texts of tags, by pointer; tags by numbers of texts */
	struct map64 texts, tag_numbers;
	/* what came without its labels, or in "(samples too many)" */
	uint64_t untagged, crowded;
	struct vec comments;	/* char * */
	uint64_t comments_more;	/* that found no room */
	int64_t wall_ns;	/* the time of day when it begins, 0 not known */
	int64_t duration_ns;
};

void profile_init(struct profile *p, struct spans *s, const struct value_type *values, unsigned n);
void profile_free(struct profile *p);
/* The number of the tag. */
uint32_t profile_tag(struct profile *p, const struct tag *tag);
void profile_add(struct profile *p, uint32_t stack, uint32_t tag, uint64_t count, uint64_t ns);
/*
 * The number of a stack of one frame of that name, which stands for a place that is not in the
 * program.
 */
uint32_t profile_place(struct profile *p, const char *name);
void profile_comment(struct profile *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Failed writes are those of @sink. */
void profile_write(struct profile *p, struct raw_sink *sink);
/*
 * A line for each sample that is not 0: functions from the outermost one on, between them ';', and
 * the last value. State and reason stand behind the functions in brackets.
 */
void profile_write_folded(struct profile *p, struct raw_sink *sink);

#endif
