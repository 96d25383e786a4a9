/* SPDX-License-Identifier: Apache-2.0 */
/* internal: the state that the files of whatif share: judge.c (the base), predict.c, guess.c. */
#ifndef GOTAP_WHATIF_INTERNAL_H
#define GOTAP_WHATIF_INTERNAL_H

#include "whatif/gather.h"
#include "whatif/whatif.h"

struct whatif {
	struct spans *s;
	struct units *u;
	struct gather *gather;
	bool no_threads;	/* the file of threads is of another recording, or there is none */
	struct programs *p;	/* NULL until whatif_base() */
	struct rounds rounds;
	struct whatif_answer answer;
	float *factors;		/* by class, of the change at hand */
	uint64_t steps;		/* ops that all replays so far had */
};

/* Appends a reason to @list, and returns its text for buf_printf(). */
struct buf *whatif_reason(struct vec *list, const char *kind);
void whatif_reasons_free(struct vec *list);
void whatif_prediction_free(struct whatif_prediction *p);
/* Predicts one change of a function by its address in the texts of the spans. */
struct whatif_prediction whatif_ask(struct whatif *w, const struct whatif_change *change);

#endif
