/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agenda: the future of a replay: what happens at which time, the earliest first. If times are
 * equal, what was added first comes first, so that a replay is the same each time.
 */
#ifndef GOTAP_WHATIF_AGENDA_H
#define GOTAP_WHATIF_AGENDA_H

#include <stdbool.h>

#include "base/vec.h"

/* @a and @b of an item are a P and a goroutine, or a goroutine. */
enum agenda_kind {
	AGENDA_STEP,		/* P @a goes on with goroutine @b */
	AGENDA_FOUND,		/* an idle P has woken, and looks for work */
	AGENDA_ENTER,		/* goroutine @a gets an idle P; @b: it was a timer */
	AGENDA_DUE,		/* the sleep of goroutine @a, which was made shorter, is over */
	AGENDA_FIRE,		/* the timer of goroutine @a ends its wait */
	AGENDA_RETURN,		/* the system call of goroutine @a returns */
	AGENDA_APPEAR,		/* goroutine @a is there from now on */
};

struct agenda_item {
	int64_t time;
	uint64_t number;	/* in the order in which the items were added */
	uint32_t a, b;
	uint8_t kind;
};

struct agenda {
	struct vec heap;	/* struct agenda_item */
	uint64_t added;
};

void agenda_add(struct agenda *a, int64_t time, enum agenda_kind kind, uint32_t x, uint32_t y);
/* Takes the first item. False: there is none. */
bool agenda_take(struct agenda *a, struct agenda_item *item);
void agenda_free(struct agenda *a);

#endif
