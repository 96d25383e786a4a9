// SPDX-License-Identifier: Apache-2.0
/*
 * findings_past: the last stays of the goroutines of the program. When a wait has ended,
 * findings_wait looks up the states during the wait of the goroutine that ended it. One ring has
 * the stays of all goroutines. Each stay is linked with the stay before it, of the same goroutine,
 * and a wait with the last stay of the goroutine that ended it.
 */
#include <stdlib.h>

#include "report/findings.h"

/* 20 MB. A program with a million stays a second has the last quarter of a second in it. */
enum { PAST = 1 << 18 };

struct pasts {
	uint32_t made;			/* number of the last stay; the first one is 1 */
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
