/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_wait: the sums that findings_wait.c makes of waits while the trace is read, and of which
 * findings_wait_judge.c makes findings at its end.
 */
#ifndef GOTAP_REPORT_FINDINGS_WAIT_H
#define GOTAP_REPORT_FINDINGS_WAIT_H

#include "report/findings.h"

/* Where goroutines wait. */
struct site {
	uint32_t place;
	uint8_t why;
	uint64_t waits;
	/* in all; of each; ended by a goroutine that began with the same function */
	double ns, squares, peers;
	double behind;			/* while who ended it waited itself to send to another */
	double causes[CAUSES];
	int64_t released;		/* when the last wait ended */
	struct few waiters, wakers;
	struct few both;		/* @waiters and @wakers */
	uint16_t turns[FEW];		/* by number in @both: numbers of those who ended its waits */
	const char *waker;		/* the function that the last one of @wakers began with */
	bool wakers_mixed;		/* others began with others */
	int64_t from, to;		/* the longest wait */
	const char *kind;		/* the judgement; NULL: nothing is lost */
};

/*
 * Time of waits at @site that @holder is to answer for, by what it did, and at which place in its function.
 */
struct charge {
	uint32_t site, holder, place;
	uint8_t cause;
	double ns;
	struct vote inner;		/* the place in what the function called */
};

/* All charges of one function. */
struct blame {
	const char *kind;
	double ns, causes[CAUSES];
	/* The most costly ones: a majority vote. */
	struct vote site, holder, places[CAUSES], inner[CAUSES];
	struct few waiters;
};

struct waits {
	struct pasts *pasts;
	struct vec sites;		/* struct site */
	struct vec charges;		/* struct charge */
	struct vec blames;		/* struct blame */
	struct map64 site_of, charge_of, blame_of;
	uint64_t steps;
};

#endif
