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
	double ns, squares;		/* sum of the waits; of their squares */
	/* ns of waits that were ended by a goroutine of the same function */
	double peers;
	/* ns in which the goroutine that ended the wait waited itself to send */
	double behind;
	double causes[CAUSES];
	int64_t released;		/* when the last wait ended */
	struct few waiters, wakers;
	struct few both;		/* goroutines that wait here or end such waits */
	/* by number in @both; bit k of turns[i]: goroutine k ended a wait of i */
	uint16_t turns[FEW];
	const char *waker;		/* the function that the last one of @wakers began with */
	bool wakers_mixed;		/* @wakers began with several functions */
	int64_t from, to;		/* the longest wait */
	const char *kind;		/* the judgement; NULL: nothing is lost */
};

/*
 * Time of waits at @site for which function @holder is responsible, by the state in which its
 * goroutine was meanwhile (@cause) and by the place in that function.
 */
struct charge {
	uint32_t site, holder, place;
	uint8_t cause;
	double ns;
	struct vote inner;		/* the innermost frame below @place */
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

/* Adds the findings of the family. */
void waits_judge(struct findings *f);

#endif
