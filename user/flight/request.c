// SPDX-License-Identifier: Apache-2.0
/* request: see request.h. */
#include "flight/request.h"

void request_put(struct request_queue *q, struct request *r)
{
	r->next = NULL;
	if (q->last)
		q->last->next = r;
	else
		q->first = r;
	q->last = r;
	q->n++;
}

struct request *request_take(struct request_queue *q)
{
	struct request *r = q->first;

	if (!r)
		return NULL;
	q->first = r->next;
	if (!q->first)
		q->last = NULL;
	q->n--;
	return r;
}
