// SPDX-License-Identifier: Apache-2.0
/* living: look-up of live goroutines and Ps by their ids. See internal.h. */
#include "spans/internal.h"

struct goroutine *spans_goroutine(struct spans *s, uint64_t id)
{
	struct goroutine *g = id == TRACEV2_NO_ID ? NULL : idtab_find(&s->goroutines, id);

	return g && g->alive ? g : NULL;
}

struct proc *spans_find_proc(struct spans *s, uint64_t id)
{
	struct proc *p = idtab_find(&s->procs, id);

	return p && p->alive ? p : NULL;
}
