// SPDX-License-Identifier: Apache-2.0
/*
 * view: see view.h. In a first pass over the events the rules collect the links (check.h); a second
 * pass returns the events.
 */
#include "v1/view.h"

#include <stdlib.h>

#include "read/text_write.h"
#include "v1/internal.h"

struct v1_view {
	struct v1_iter it;
	uint32_t *links;	/* by number of the event */
};

int v1_view_open(struct v1_view **ret, const struct v1_trace *t, struct error *err)
{
	struct v1_view *v = xcalloc(1, sizeof(*v));

	v->links = xcalloc(t->ordered + 1, sizeof(*v->links));
	v1_iter_init_whole(&v->it, t, false);
	v1_check_links(v->it.check, v->links);
	while (v1_iter_next(&v->it))
		;
	if (v->it.error.code && !t->resumed) {
		*err = v->it.error;
		v1_view_close(v);
		return err->code;
	}
	v1_iter_release(&v->it);
	v1_iter_init_whole(&v->it, t, false);
	*ret = v;
	return 0;
}

void v1_view_close(struct v1_view *v)
{
	if (!v)
		return;
	v1_iter_release(&v->it);
	free(v->links);
	free(v);
}

static int64_t p_of(const struct v1_event *ev)
{
	switch (ev->row) {
	case V1_ROW_TIMER:
		return V1_TIMER_P;
	case V1_ROW_NETPOLL:
		return V1_NETPOLL_P;
	case V1_ROW_SYSCALL:
		return V1_SYSCALL_P;
	case V1_ROW_GC:
		return V1_GC_P;
	default:
		return ev->p;	/* a sample has its own P */
	}
}

/* Goroutine 0 for the events of the collector and of a stop-the-world: they are the program's. */
static uint64_t g_of(const struct v1_event *ev)
{
	return ev->type >= V1_GC_START && ev->type <= V1_STW_DONE ? 0 : ev->g;
}

bool v1_view_next(struct v1_view *v, struct v1_view_event *out)
{
	const struct v1_event *ev = v1_iter_next(&v->it);
	uint32_t number;

	if (!ev)
		return false;
	number = v1_check_number(v->it.check);
	*out = (struct v1_view_event){ ev, g_of(ev), p_of(ev), number, v->links[number] };
	return true;
}

/* --- as text --- */

enum { MAX_LINE = 512 };

static uint8_t *v1_view_put_text(uint8_t *p, const char *text)
{
	while (*text)
		*p++ = (uint8_t)*text++;
	return p;
}

static uint8_t *v1_view_put_int(uint8_t *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return text_put_uint(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static uint8_t *v1_view_put_field(uint8_t *p, const char *name, uint64_t v)
{
	return text_put_uint(v1_view_put_text(p, name), v);
}

static uint8_t *put_p(uint8_t *p, const struct v1_view_event *e)
{
	static const char *const names[] = {
		[V1_ROW_TIMER] = "timer", [V1_ROW_NETPOLL] = "netpoll",
		[V1_ROW_SYSCALL] = "syscall", [V1_ROW_GC] = "gc",
	};

	p = v1_view_put_text(p, " p=");
	if (e->ev->row == V1_ROW_PROFILE)
		return v1_view_put_text(v1_view_put_int(p, e->p), "/profile");
	return e->ev->row == V1_ROW_P ? v1_view_put_int(p, e->p) :
					v1_view_put_text(p, names[e->ev->row]);
}

static uint8_t *put_args(uint8_t *p, const char *names, const uint64_t *args)
{
	for (; *names; args++) {
		*p++ = ' ';
		while (*names && *names != ' ')
			*p++ = (uint8_t)*names++;
		names += *names == ' ';
		*p++ = '=';
		p = text_put_uint(p, *args);
	}
	return p;
}

/*
 * Puts the stack of a GoStart, which is that of its goroutine's start. Before 1.7 it is the start
 * PC alone.
 */
static uint8_t *v1_view_put_stack(uint8_t *p, const struct v1_trace *t, uint64_t stack)
{
	uint64_t pc;

	if (v1_trace_start_pc(t, stack, &pc))
		return v1_view_put_field(p, " start_pc=", pc);
	return stack ? v1_view_put_field(p, " stack=", stack) : p;
}

static void v1_view_put_event(struct buf *out, const struct v1_trace *t,
			      const struct v1_view_event *e)
{
	uint64_t args[3] = { e->ev->args[0], e->ev->args[1], e->ev->args[2] };
	uint8_t *p;

	buf_reserve(out, MAX_LINE);
	p = text_put_uint(out->data + out->len, e->number);
	p = v1_view_put_field(p, " @", e->ev->offset);
	*p++ = ' ';
	p = put_p(v1_view_put_int(p, e->ev->time), e);
	p = v1_view_put_field(p, " g=", e->g);
	*p++ = ' ';
	p = v1_view_put_text(p, v1_trace_type_name(t, e->ev->type));
	if (e->ev->type == V1_GO_CREATE)
		v1_trace_start_pc(t, args[1], &args[1]);
	p = put_args(p, t->format.spec[e->ev->type]->args, args);
	p = v1_view_put_stack(p, t, e->ev->stack);
	if (e->link)
		p = v1_view_put_field(p, " link=", e->link);
	*p++ = '\n';
	out->len = (size_t)(p - out->data);
}

int v1_view_text(const struct v1_trace *t, struct raw_sink *sink, struct error *err)
{
	struct v1_view_event e;
	struct v1_view *v;
	int ret = v1_view_open(&v, t, err);

	if (ret)
		return ret;
	while (!sink->error && v1_view_next(v, &e)) {
		v1_view_put_event(&sink->buf, t, &e);
		sink_settle(sink);
	}
	v1_view_close(v);
	return 0;
}
