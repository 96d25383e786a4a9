// SPDX-License-Identifier: Apache-2.0
/*
 * findings_past: how the goroutines of the program spent the last moments, for who asks when a wait
 * has ended what the other side did during it. A ring of the last stays of all goroutines together;
 * those of a goroutine are linked, the youngest first, and a wait links to the one that ended it.
 */
#include <stdlib.h>

#include "report/findings.h"

/* 14 MB. At a million stays a second that is the last quarter of one. */
enum { PAST = 1 << 18 };

struct pasts {
	uint32_t made;			/* number of the last one; the first is 1 */
	struct past ring[PAST];
};

struct pasts *past_new(void)
{
	return xcalloc(1, sizeof(struct pasts));
}

void past_free(struct pasts *p)
{
	free(p);
}

const struct past *past_at(const struct pasts *p, uint32_t number)
{
	return number && p->made - number < PAST ? &p->ring[number % PAST] : NULL;
}

struct past *past_add(struct pasts *p, uint32_t *last)
{
	struct past *past;

	if (!++p->made)
		p->made = 1;
	past = &p->ring[p->made % PAST];
	*past = (struct past){ .before = *last };
	*last = p->made;
	return past;
}
