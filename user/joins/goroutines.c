// SPDX-License-Identifier: Apache-2.0
/*
 * goroutines: which sockets a goroutine has read, and so the one to which it writes.
 */
#include "joins/internal.h"

struct joins_g *joins_g(struct joins_member *m, const struct goroutine *g)
{
	struct joins_g *mine;

	while (m->gs.len <= g->slot)
		*(struct joins_g *)vec_push(&m->gs, sizeof(*mine)) =
			(struct joins_g){ .id = TRACEV2_NO_ID };
	mine = vec_at(&m->gs, struct joins_g, g->slot);
	if (mine->id != g->id)
		*mine = (struct joins_g){ .id = g->id, .creator = g->creator, .served = NO_END,
					  .more = NO_END };
	return mine;
}

struct joins_g *joins_creator(struct joins_member *m, uint64_t creator)
{
	const struct goroutine *g = spans_goroutine(m->s, creator);

	return g ? joins_g(m, g) : NULL;
}

static void joins_attach(struct joins_g *g, uint32_t end)
{
	unsigned i;

	for (i = 0; i < g->n; i++)
		if (g->ends[i] == end)
			return;
	if (g->n < G_ENDS)
		g->ends[g->n++] = end;
	else
		g->has_more = true;
}

void joins_waits(struct joins_member *m, const struct span *span)
{
	uint8_t does = joins_stack(&m->stacks, spans_stacks(m->s), span->stack);
	struct trace_socket socket;
	struct joins_g *creator;
	uint32_t end;

	if (!(does & JOINS_READS) || !joins_socket_of(span, &socket) ||
	    !joins_is_connected(&socket))
		return;
	end = joins_end_put(m->j, m->number, &socket);
	if (end == NO_END)
		return;
	joins_attach(joins_g(m, span->g), end);
	if (does & JOINS_SERVES)
		joins_g(m, span->g)->served = end;
	if (!joins_reads_for_creator(span->g->name))
		return;
	creator = joins_creator(m, span->g->creator);
	if (!creator)
		return;
	joins_attach(creator, end);
	creator->served = end;
	if (!(does & JOINS_SERVES))
		joins_end_at(m->j, end)->multiplexed = true;
}

/*
 * The end to which a goroutine writes; NO_END: not known. One that serves a connection of net/http
 * and has others, too, is known by its stack.
 */
static uint32_t joins_written(struct joins_member *m, const struct span *span, uint8_t does)
{
	struct joins_g *g = joins_g(m, span->g), *creator;

	if (does & (JOINS_SERVES | JOINS_RESPONDS))
		return g->served;
	if (does & JOINS_COPIES)	/* it reads one socket and writes to another */
		return NO_END;
	if (g->n == 1 && !g->has_more)
		return g->ends[0];
	if (g->n == 2 && !g->has_more && g->served != NO_END)
		return g->ends[g->ends[0] == g->served];
	if (g->n || !joins_writes_for_creator(span->g->name))
		return NO_END;
	creator = joins_creator(m, g->creator);
	return creator ? creator->served : NO_END;
}

/* HTTP/1: the request that @g serves, or has served last, if this write is of it. */
static struct joins_task joins_task_of(const struct joins_end *e, const struct joins_g *g)
{
	if (e->multiplexed || !g->task.id)
		return (struct joins_task){ .name = "" };
	return g->task;
}

void joins_take_write(struct joins_member *m, const struct span *span)
{
	uint8_t does = joins_stack(&m->stacks, spans_stacks(m->s), span->stack);
	struct joins_task task;
	struct joins_end *e;
	uint32_t end;

	if (!(does & JOINS_WRITES))
		return;
	end = joins_written(m, span, does);
	if (end == NO_END)
		return;
	e = joins_end_at(m->j, end);
	task = joins_task_of(e, joins_g(m, span->g));
	if (e->write.task != task.id || e->write.g != span->g->id) {
		e->other_time = e->write.time;
		e->requests++;
	}
	if (!e->fresh)
		e->requests = 1;
	e->fresh = true;
	e->write = (struct joins_write){
		.member = m->number, .g = span->g->id, .name = span->g->name, .time = span->from,
		.mark = m->mark ? m->mark(m->ctx, span->g) : 0,
		.task = task.id, .request = task.name, .task_from = task.from,
	};
}
