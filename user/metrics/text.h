/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: writes metrics as the text format of Prometheus (0.0.4) or as OpenMetrics 1.0, which differ
 * in the names of counters, in units and in the end. Who calls it names a family, and then its
 * samples: a family without samples is left out, and the samples of one must follow one another.
 */
#ifndef GOTAP_METRICS_TEXT_H
#define GOTAP_METRICS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_INFO };

/* The name is without _total and _info, and ends with the unit if there is one. */
struct metrics_family {
	const char *name;
	enum metrics_type type;
	const char *unit;		/* "seconds"; NULL: none */
	const char *help;		/* a line without backslashes */
};

struct metrics_text {
	struct buf *out;
	bool open;			/* as OpenMetrics */
	const struct metrics_family *family;
	bool begun;			/* of the family, its header is written */
};

/* The family of the following samples. It must live until the next one is named. */
void metrics_begin(struct metrics_text *t, const struct metrics_family *f);
/* A sample. @labels may be NULL; @more: one label more (metrics_label()), or NULL. */
void metrics_count(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		   uint64_t value);
void metrics_real(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		  double value);

/* Durations by their limits; count i is of those up to limit i and above the one before. */
struct metrics_histogram {
	const uint64_t *limits_ns, *counts;	/* one count more than limits */
	unsigned int limits;
	double sum;			/* seconds */
};

void metrics_histogram(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		       const struct metrics_histogram *h);
/* Ends the text. */
void metrics_end(struct metrics_text *t);

enum { METRICS_LABEL = 128 };

/*
 * Appends a label to @labels, unless @value is "" or NULL, which is the same as no label. Any bytes
 * may be in @value: those that are no characters are written as \x1b, and what is beyond
 * METRICS_LABEL bytes is cut.
 */
void metrics_label(struct buf *labels, const char *name, const char *value);

#endif
