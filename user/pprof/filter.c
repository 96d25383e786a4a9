// SPDX-License-Identifier: Apache-2.0
/* filter: the goroutines and times that the options of a profile ask for. See internal.h. */
#include "pprof/internal.h"

bool pprof_wants(const struct pprof *p, const struct goroutine *g)
{
	const struct pprof_options *o = p->o;

	if (o->goroutines.len && !(g && map64_get(&o->goroutines, g->id)))
		return false;
	return !o->func || (g && !regexec(o->func, g->name, 0, NULL, 0));
}

uint64_t pprof_overlap(const struct pprof *p, int64_t from, int64_t to)
{
	from = from < p->from ? p->from : from;
	to = to > p->to ? p->to : to;
	return from < to ? (uint64_t)to - (uint64_t)from : 0;
}
