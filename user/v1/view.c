// SPDX-License-Identifier: Apache-2.0
/*
 * view: see view.h. The first pass over the events lets the rules gather the links (check.h), the
 * second one gives the events.
 */
#include "v1/view.h"

#include <stdlib.h>
#include <string.h>

#include "v1/internal.h"
#include "v1/text_form.h"

struct v1_view {
	struct v1_iter it;
	uint32_t *links;	/* by number */
	uint32_t number;
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

static int32_t p_of(const struct v1_event *ev)
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
		return ev->p;	/* a sample has its own */
	}
}

/* The collector and who stops the world act for the program. */
static uint64_t g_of(const struct v1_event *ev)
{
	return ev->type >= V1_GC_START && ev->type <= V1_STW_DONE ? 0 : ev->g;
}

bool v1_view_next(struct v1_view *v, struct v1_view_event *out)
{
	const struct v1_event *ev = v1_iter_next(&v->it);

	if (!ev)
		return false;
	v->number++;
	*out = (struct v1_view_event){ ev, g_of(ev), p_of(ev), v->number, v->links[v->number] };
	return true;
}

/* --- as text --- */

static void put_p(struct buf *out, const struct v1_view_event *e)
{
	static const char *const names[] = { "timer", "netpoll", "syscall", "gc" };

	if (e->ev->row == V1_ROW_PROFILE)
		buf_printf(out, " p=%d/profile", e->p);
	else if (e->p >= V1_TIMER_P)
		buf_printf(out, " p=%s", names[e->p - V1_TIMER_P]);
	else
		buf_printf(out, " p=%d", e->p);
}

static void put_event(struct buf *out, const struct v1_trace *t, const struct v1_view_event *e)
{
	const char *name = t->format.spec[e->ev->type]->args;
	size_t i, n;

	buf_printf(out, "%u @%llu %lld", e->number, (unsigned long long)e->ev->offset,
		   (long long)e->ev->time);
	put_p(out, e);
	buf_printf(out, " g=%llu %s", (unsigned long long)e->g, v1_trace_type_name(t, e->ev->type));
	for (i = 0; *name; i++) {
		n = strcspn(name, " ");
		buf_printf(out, " %.*s=%llu", (int)n, name, (unsigned long long)e->ev->args[i]);
		name += n + (name[n] == ' ');
	}
	if (e->ev->stack)
		buf_printf(out, " stack=%llu", (unsigned long long)e->ev->stack);
	if (e->link)
		buf_printf(out, " link=%u", e->link);
	buf_add_byte(out, '\n');
}

int v1_view_text(const struct v1_trace *t, struct raw_sink *sink, struct error *err)
{
	struct v1_view_event e;
	struct v1_view *v;
	int ret = v1_view_open(&v, t, err);

	if (ret)
		return ret;
	while (!sink->error && v1_view_next(v, &e)) {
		put_event(&sink->buf, t, &e);
		sink_settle(sink);
	}
	v1_view_close(v);
	return 0;
}
