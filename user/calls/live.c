// SPDX-License-Identifier: Apache-2.0
/* live: see live.h. */
#include "calls/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/vec.h"
#include "read/func.h"
#include "trace/tap.h"

enum { NAME_MOST = 1024, DEEPEST = 4096 };

/* A region that a goroutine has begun and not ended. */
struct open_region {
	uint64_t from;
	bool counts;		/* it is a call that is asked for */
	bool left;		/* a log event says that it was left before its end */
};

/* What the tap keeps for a goroutine. */
struct live_go {
	struct vec *open;	/* struct open_region, innermost last; NULL: none yet */
	uint64_t deeper;	/* open regions beyond DEEPEST, which are not counted */
};

struct calls_live {
	struct calls_live_opts opts;
	struct tap *tap;
	struct dist dist;
	uint64_t left;
};

static struct live_go *calls_live_of(struct tap_go *g)
{
	return (struct live_go *)g->data;
}

static bool calls_live_matches(const struct calls_live *l, const struct sink_text *type)
{
	char name[NAME_MOST];
	size_t n = sink_text_len(type);

	if (n >= sizeof(name) || memchr(type->bytes, 0, n))
		return false;
	memcpy(name, type->bytes, n);
	name[n] = '\0';
	return glob_match(l->opts.pattern, name);
}

static void calls_live_begin(const struct calls_live *l, struct live_go *g,
			     const struct sink_event *e)
{
	bool matches = calls_live_matches(l, sink_arg_text(e->args[1]));

	if (!g->open)
		g->open = xcalloc(1, sizeof(*g->open));
	if (g->open->len >= DEEPEST)
		g->deeper++;
	else
		*(struct open_region *)vec_push(g->open, sizeof(struct open_region)) =
			(struct open_region){ .from = e->time,
					      .counts = matches };
}

static void calls_live_end(struct calls_live *l, struct live_go *g, const struct sink_event *e)
{
	const struct open_region *r;

	if (g->deeper) {
		g->deeper--;
		return;
	}
	if (!g->open || !g->open->len)
		return;
	r = vec_at(g->open, struct open_region, --g->open->len);
	if (!r->counts)
		return;
	l->left += r->left;
	if (!r->left)
		dist_add(&l->dist, (int64_t)(e->time - r->from));
}

static void calls_live_log(struct live_go *g, const struct sink_event *e)
{
	const struct sink_text *message = sink_arg_text(e->args[2]);

	if (g->open && g->open->len && !g->deeper &&
	    func_log_is_left(sink_arg_text(e->args[1])->bytes,
			     sink_text_len(sink_arg_text(e->args[1])), message->bytes,
			     sink_text_len(message)))
		vec_at(g->open, struct open_region, g->open->len - 1)->left = true;
}

static void calls_live_event(void *ctx, const struct tap_step *s)
{
	if (!s->by)
		return;
	if (s->event->kind == EV_UserRegionBegin)
		calls_live_begin(ctx, calls_live_of(s->by), s->event);
	else if (s->event->kind == EV_UserRegionEnd)
		calls_live_end(ctx, calls_live_of(s->by), s->event);
	else
		calls_live_log(calls_live_of(s->by), s->event);
}

static void calls_live_gone(void *ctx, struct tap_go *g, uint64_t time)
{
	struct live_go *go = calls_live_of(g);

	if (go->open)
		vec_free(go->open);
	free(go->open);
	*go = (struct live_go){0};
}

static void calls_live_seen(void *ctx, uint64_t time)
{
	struct calls_live *l = ctx;

	l->opts.seen(l->opts.ctx, time);
}

struct calls_live *calls_live_new(const struct calls_live_opts *opts)
{
	static const struct tap_visitor visitor = {
		.event = calls_live_event, .gone = calls_live_gone, .seen = calls_live_seen,
	};
	struct calls_live *l = xcalloc(1, sizeof(*l));
	struct tap_opts tap = { .visitor = &visitor, .ctx = l, .data = sizeof(struct live_go) };

	l->opts = *opts;
	tap.wants[EV_UserRegionBegin] = tap.wants[EV_UserRegionEnd] = tap.wants[EV_UserLog] = true;
	l->tap = tap_new(&tap);
	return l;
}

void calls_live_observe(struct calls_live *l, struct observers *to)
{
	tap_observe(l->tap, to);
}

const struct dist *calls_live_dist(const struct calls_live *l) { return &l->dist; }
uint64_t calls_live_left(const struct calls_live *l) { return l->left; }

void calls_live_free(struct calls_live *l)
{
	struct tap_go *g;
	size_t at = 0;

	if (!l)
		return;
	while ((g = tap_next(l->tap, &at)))
		calls_live_gone(l, g, 0);
	tap_free(l->tap);
	dist_free(&l->dist);
	free(l);
}
