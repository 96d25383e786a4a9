// SPDX-License-Identifier: Apache-2.0
/* children: see children.h. */
#include "sched/children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/http.h"
#include "sched/handlers.h"
#include "sched/op.h"
#include "sched/steps.h"

enum {
	CHILD_NAME_MOST = OP_NAME_MOST + 16,
	STARTS_MOST = 4096,	/* first functions that are kept; the others are asked for again */
};

/*
 * What is known of the goroutines with one first function, in model.child_starts: how many of the
 * children among them ended while their request was open, and how many waited when it ended.
 */
#define START_ENDED 1ULL
#define START_OUTLIVED (1ULL << 32)
#define START_SERVES_MANY (1ULL << 63)

/* The name of the regions of all children of a request, which may outlive it. */
struct child_name {
	size_t refs;
	uint64_t number;	/* of the text, while it is not final (sink_text.later) */
	bool final;
	size_t begin_len, len;
	/* as the regions began, for those who look at events; and as the trace has it */
	char begin[CHILD_NAME_MOST], text[CHILD_NAME_MOST];
};

struct child {
	struct child *next, **at;	/* of op.children; while @of is not NULL */
	struct G *g;
	struct op *of;		/* the request; NULL: it has ended */
	uint64_t task;		/* of it */
	struct child_name *name;
	struct region *region;	/* NULL: it has not begun, or has ended */
	bool ran;
	bool over;		/* its region ends as soon as that can be */
	bool outlives;		/* most with its first function do */
};

/* --- names --- */

static void child_name_release(struct child_name *n)
{
	if (n && !--n->refs)
		free(n);
}

static size_t child_name_put(char to[CHILD_NAME_MOST], const struct op *op)
{
	return (size_t)snprintf(to, CHILD_NAME_MOST, HTTP_CHILD "%.*s", (int)op->name_len,
				op->name);
}

static struct child_name *child_name_of(struct op *op)
{
	struct child_name *n = op->children_name;

	if (!n) {
		n = xcalloc(1, sizeof(*n));
		n->refs = 1;
		n->number = op->task + HTTP_TASKS;
		n->begin_len = n->len = child_name_put(n->begin, op);
		memcpy(n->text, n->begin, n->len);
		n->final = op->named;
		op->children_name = n;
	}
	n->refs++;
	return n;
}

void children_name(struct model *s, struct op *op)
{
	struct child_name *n = op->children_name;

	if (!n || n->final)
		return;
	n->len = child_name_put(n->text, op);
	n->final = true;
	s->sink.ops->text(s->sink.ctx, n->number, n->text, n->len);
}

/* Writes the begin or the end of a region. */
static void child_emit(struct model *s, struct M *m, enum tracev2_event ev, const struct child *c)
{
	const struct child_name *n = c->name;
	bool changed = n->len != n->begin_len || memcmp(n->begin, n->text, n->len);
	const struct sink_text text = {
		.bytes = n->begin, .len = n->begin_len,
		.later = !n->final || changed ? n->number : 0,
	};

	step_emit(s, m, ev, c->task, (uint64_t)(uintptr_t)&text, 0);
	if (n->final && changed)
		s->sink.ops->text(s->sink.ctx, n->number, n->text, n->len);
}

/* --- who is a child --- */

/* The request that @g serves, or is a child of; NULL: none. */
static struct op *child_request(const struct G *g)
{
	struct op *op;

	for (op = g->ops; op; op = op->outer)
		if (op->has_children)
			return op;
	return g->child && !g->child->over ? g->child->of : NULL;
}

uint64_t child_task(const struct G *g)
{
	return g->child && !g->child->over && g->child->of ? g->child->task : 0;
}

/* The runtime starts some of its own where a request makes it collect garbage. */
static bool child_start_serves_many(const struct model *s, uint64_t pc)
{
	return (s->opts.is_system && s->opts.is_system(s->opts.ctx, pc)) ||
	       (s->opts.serves_many && s->opts.serves_many(s->opts.ctx, pc));
}

static uint64_t child_start_of(struct model *s, uint64_t pc)
{
	uint64_t *known = map64_get(&s->child_starts, pc), what;

	if (known)
		return *known;
	what = child_start_serves_many(s, pc) ? START_SERVES_MANY : 0;
	if (s->child_starts.len < STARTS_MOST)
		*map64_put(&s->child_starts, pc, NULL) = what;
	return what;
}

static bool child_start_outlives(uint64_t start)
{
	return start / START_OUTLIVED > (uint32_t)start;
}

static void child_start_count(struct model *s, const struct child *c, uint64_t what)
{
	uint64_t *known = map64_get(&s->child_starts, c->g->start_pc);

	if (known && !(*known & START_SERVES_MANY))
		*known += what;
}

void child_created(struct model *s, const struct M *m, struct G *g)
{
	struct op *of = s->started && m && m->g ? child_request(m->g) : NULL;
	struct child *c;
	uint64_t start;

	if (!of)
		return;
	start = child_start_of(s, g->start_pc);
	if (start & START_SERVES_MANY)
		return;
	c = xcalloc(1, sizeof(*c));
	c->of = of;
	c->task = of->task;
	c->name = child_name_of(of);
	c->outlives = child_start_outlives(start);
	c->next = of->children;
	c->at = &of->children;
	if (c->next)
		c->next->at = &c->next;
	of->children = c;
	c->g = g;
	g->child = c;
}

/* --- the end --- */

static void child_leave_request(struct child *c)
{
	if (!c->of)
		return;
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	c->of = NULL;
}

void child_drop(struct G *g)
{
	struct child *c = g->child;

	if (!c)
		return;
	child_leave_request(c);
	child_name_release(c->name);
	free(c);
	g->child = NULL;
}

/*
 * Ends the region of the goroutine of @m, which runs. One that the program has begun inside it ends
 * first: until then it goes on.
 */
static void child_end_region(struct model *s, struct M *m)
{
	struct child *c = m->g->child;

	if (c->region && m->g->regions == c->region) {
		child_emit(s, m, EV_UserRegionEnd, c);
		g_end_region(s, m->g);
		c->region = NULL;
	}
	if (!c->region && !c->of)
		child_drop(m->g);
}

void child_runs(struct model *s, struct M *m)
{
	struct child *c = m->g->child;

	if (!m_speaks(m))
		return;
	if (c->over) {
		child_end_region(s, m);
		return;
	}
	if (c->ran)
		return;
	c->ran = true;
	/* it ran unseen, and is inside another region already: readers want regions to nest */
	if (m->g->regions)
		return;
	c->region = region_open(s, m->g, c->task);
	if (c->region)
		child_emit(s, m, EV_UserRegionBegin, c);
}

void child_stops(struct model *s, struct M *m)
{
	struct child *c = m->g->child;

	if (c->outlives)
		c->over = true;
	if (c->over && m_speaks(m))
		child_end_region(s, m);
}

void child_ends(struct model *s, struct M *m)
{
	struct child *c = m->g->child;

	if (c->of)
		child_start_count(s, c, START_ENDED);
	if (m_speaks(m))
		child_end_region(s, m);
}

static bool child_waits_in(const struct G *g, const char *reason)
{
	return g->waits && (!strcmp(g->waits, reason) || !strcmp(g->waits, "select"));
}

/* The goroutines work for two requests. */
static bool child_of_another(const struct child *c, const struct G *g)
{
	struct op *other = child_request(g);

	return c->of && other && other != c->of;
}

void child_wakes(struct model *s, struct M *m, struct G *g)
{
	struct child *from = m->g->child, *to = g->child;

	if (to && child_waits_in(g, "chan receive") && child_of_another(to, m->g))
		to->over = true;
	if (!from || !child_waits_in(g, "chan send") || !child_of_another(from, g))
		return;
	from->over = true;
	if (m_speaks(m))
		child_end_region(s, m);
}

static void child_end_with_request(struct model *s, struct child *c)
{
	struct G *g = c->g;

	if (g->status == G_WAITING)
		child_start_count(s, c, START_OUTLIVED);
	child_leave_request(c);
	c->over = true;
	if (m_speaks(g->m))
		child_end_region(s, g->m);
	else if (!c->region)
		child_drop(g);
}

void children_end(struct model *s, struct op *op)
{
	while (op->children)
		child_end_with_request(s, op->children);
}

void children_forget(struct op *op)
{
	while (op->children) {
		op->children->over = true;
		child_leave_request(op->children);
	}
	child_name_release(op->children_name);
	op->children_name = NULL;
}

/* --- */

bool model_start_serves_many(const char *name)
{
	static const char *const starts[] = {
		"net/http.(*Transport).",	/* dials for whoever waits */
		"net/http.(*persistConn).", "net/http.(*connReader).", "net/http.(*http2",
		"net/http.(*Server).", "net/http.(*conn).",
		"net/http/internal/http2.", "golang.org/x/net/http2.",
		"database/sql.OpenDB", "database/sql.(*DB).",
		"google.golang.org/grpc/internal/", "google.golang.org/grpc.(*addrConn).",
		"google.golang.org/grpc.(*ClientConn).",
		"google.golang.org/grpc.(*Server).Serve", "google.golang.org/grpc.(*Server).server",
		"google.golang.org/grpc.(*Server).handle",
	};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}
