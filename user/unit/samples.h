/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples: the CPU samples of a trace, by the function that the goroutine began with and the
 * function of the program that it ran: which functions the running part of a unit consists of.
 * A visitor of the first reading.
 */
#ifndef GOTAP_UNIT_SAMPLES_H
#define GOTAP_UNIT_SAMPLES_H

#include "spans/spans.h"

struct unit_samples {
	struct spans *s;
	struct vec list;	/* struct sampled */
	struct map64 by_key;
};

/* The samples in one function. */
struct samples_row {
	const char *function;
	const char *file;	/* without folders */
	uint64_t line;		/* that most of the samples have */
	double share;		/* of the samples of the same goroutines */
};

/* Adds the visitor to @s, which must outlive @m. */
void samples_init(struct unit_samples *m, struct spans *s);
void samples_free(struct unit_samples *m);
/*
 * Stores at most @most rows of the goroutines that began with @root, those with most samples first.
 * Returns their number; 0: there is no such sample.
 */
size_t samples_of(const struct unit_samples *m, const char *root, struct samples_row *rows,
		  size_t most);

#endif
