/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_wait: sums over waits. findings_wait.c makes them while the trace is read, and
 * findings_wait_judge.c makes findings from them at its end.
 */
#ifndef GOTAP_REPORT_FINDINGS_WAIT_H
#define GOTAP_REPORT_FINDINGS_WAIT_H

#include "report/findings.h"

/* The waits at one place for one reason. */
struct site {
	uint32_t place;
	uint8_t why;
	uint64_t waits;
	double ns, squares;		/* sum of the waits, and sum of their squares */
	/* ns of waits that a goroutine with the same first function ended */
	double peers;
	/*
	 * ns of waits during which the goroutine that ended the wait had to wait itself until it
	 * could send
	 */
	double behind;
	double causes[CAUSES];
	int64_t released;		/* end of the last wait */
	struct few waiters, wakers;
	struct few both;		/* goroutines that wait here or end waits here */
	/* by index in @both; bit k of turns[i]: goroutine k ended a wait of goroutine i */
	uint16_t turns[FEW];
	const char *waker;		/* the function that the last one of @wakers began with */
	bool wakers_mixed;		/* @wakers began with several functions */
	int64_t from, to;		/* the longest wait */
	/*
	 * Set by findings_wait_judge.c: the channels or locks of the waits, and the one with the
	 * most ns (0: none is known).
	 */
	uint32_t objects;
	uint32_t most;			/* number of a struct share */
	/* kind of the finding, set by findings_wait_judge.c; NULL: no time is lost */
	const char *kind;
};

/* The waits at one site for one channel or lock. */
struct share {
	uint32_t site;
	uint8_t kind;			/* enum wait_kind */
	uint64_t object;		/* its word, as in struct trace_wait */
	double ns;
};

/*
 * Time of waits at @site for which the function @holder is responsible, by the state of its
 * goroutine during the wait (@cause) and by the place in that function.
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
	/* of all charges the most costly site, holder and places, by majority votes */
	struct vote site, holder, places[CAUSES], inner[CAUSES];
	struct few waiters;
};

struct waits {
	struct pasts *pasts;
	struct vec sites;		/* struct site */
	struct vec charges;		/* struct charge */
	struct vec blames;		/* struct blame */
	struct vec shares;		/* struct share */
	struct map64 site_of, charge_of, blame_of, share_of;
	struct vec locks;		/* struct lock_state */
	struct map64 lock_of;		/* object -> index in locks */
	uint64_t steps;
};

/* Adds the findings about waits. */
void waits_judge(struct findings *f);

#endif
