// SPDX-License-Identifier: Apache-2.0
/* route: see route.h and handlers.h. */
#include "sched/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sched/handlers.h"
#include "sched/op.h"

enum { HANDLERS_MOST = 4096 };	/* stacks of which the handler is kept */

void route_forget(struct op *op)
{
	if (!op->by_handler)
		free((char *)op->route);
	op->route = NULL;
}

static void route_set(struct op *op, const char *text, size_t n)
{
	char *route = xcalloc(1, n + 1);

	memcpy(route, text, n);
	route_forget(op);
	op->route = route;
	op->route_len = n;
}

void http_route(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;
	struct op *op;

	if (!s->started || !m_speaks(m))
		return;
	for (op = m->g->ops; op && (op->kind != OP_HTTP_SERVED || op->key != r->id);)
		op = op->outer;
	if (!op)
		return;
	op->route_stack = u->stack;
	if (u->len[0])
		route_set(op, u->text, u->len[0] < OP_NAME_MOST ? u->len[0] : OP_NAME_MOST);
}

/* "" if it is not known. The stack has come with the request, or its record was lost. */
static const char *route_handler(struct model *s, uint64_t stack)
{
	uint64_t *known = map64_get(&s->handlers, stack);
	char name[OP_NAME_MOST], *kept;
	size_t n;

	if (known)
		return (const char *)(uintptr_t)*known;
	if (!s->opts.handler || s->handlers.len >= HANDLERS_MOST)
		return "";
	n = s->opts.handler(s->opts.handler_ctx, stack, name, sizeof(name));
	kept = xcalloc(1, n + 1);
	memcpy(kept, name, n);
	*map64_put(&s->handlers, stack, NULL) = (uint64_t)(uintptr_t)kept;
	return kept;
}

void route_resolve(struct model *s, struct op *op)
{
	const char *name;

	if (op->route || !op->route_stack)
		return;
	name = route_handler(s, op->route_stack);
	if (!*name)
		return;
	op->route = name;
	op->route_len = strlen(name);
	op->by_handler = true;
}

void route_free_all(struct model *s)
{
	size_t i;

	map64_each(&s->handlers, i)
		free(map64_ptr(&s->handlers, i, char));
	map64_free(&s->handlers);
}
