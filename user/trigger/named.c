// SPDX-License-Identifier: Apache-2.0
/*
 * named: region:NAME>T and task:NAME>T. Keeps only regions and tasks with a matching name, each
 * until it ends or exceeds the limit: a region that the program never ends takes no memory after
 * that.
 */
#include <stdlib.h>
#include <string.h>

#include "trigger/internal.h"

/* The largest number of open regions or tasks of a rule; further ones are not watched. */
enum { OPEN_MAX = 1 << 18 };

struct open {
	/*
	 * must be first: the list has pointers to this field, which are also pointers to the struct
	 * open
	 */
	struct stay stay;
	/*
	 * of a region: the next open region around it, and in it, of the same goroutine and with a
	 * matching name
	 */
	struct open *outer, *inner;
	uint64_t key;		/* goid of a region, id of a task */
	uint64_t g, stack;	/* goroutine and stack at the begin */
	uint64_t task;
	char name[];
};

/*
 * The open regions or tasks of a rule. by_key: key -> struct open *, for regions the innermost one.
 */
struct opens {
	struct map64 by_key;
	size_t n;
};

static struct opens *opens_of(struct rule *r)
{
	return r->more;
}

static void named_begin(struct rule *r)
{
	r->more = xcalloc(1, sizeof(struct opens));
}

static void open_add(struct rule *r, const struct tap_step *s, uint64_t key, uint64_t task,
		     const char *name, uint64_t stack)
{
	struct opens *all = opens_of(r);
	struct open *o;
	uint64_t *slot;

	if (all->n >= OPEN_MAX)
		return;
	o = xcalloc(1, sizeof(*o) + strlen(name) + 1);
	o->key = key;
	o->task = task;
	o->g = s->by ? s->by->id : 0;
	o->stack = stack;
	strcpy(o->name, name);
	slot = map64_put(&all->by_key, key, NULL);
	o->outer = (struct open *)(uintptr_t)*slot;
	if (o->outer)
		o->outer->inner = o;
	*slot = (uint64_t)(uintptr_t)o;
	all->n++;
	stay_add(&r->stays, &o->stay, s->event->time);
}

static void open_drop(struct rule *r, struct open *o)
{
	struct opens *all = opens_of(r);

	if (o->outer)
		o->outer->inner = o->inner;
	if (o->inner)
		o->inner->outer = o->outer;
	else if (o->outer)
		*map64_put(&all->by_key, o->key, NULL) = (uint64_t)(uintptr_t)o->outer;
	else
		map64_del(&all->by_key, o->key);
	stay_remove(&o->stay);
	all->n--;
	free(o);
}

static struct open *open_find(struct rule *r, uint64_t key)
{
	uint64_t *slot = map64_get(&opens_of(r)->by_key, key);

	return slot ? (struct open *)(uintptr_t)*slot : NULL;
}

static void fire_open(struct rule *r, const struct open *o, uint64_t until)
{
	struct tap_go *g = o->g ? tap_find(r->triggers->tap, o->g) : NULL;
	struct fact_place place = { .time = o->stay.since + r->is->limit,
				    .until = until,
				    .g = g,
				    .stack = o->stack };

	fire(r, &place, "%s %.100s lasts for %s", r->is->kind == TRIGGER_TASK ? "task" : "region",
	     o->name, span_text(until - o->stay.since).text);
}

static void open_end(struct rule *r, struct open *o, uint64_t time)
{
	if (time > o->stay.since + r->is->limit)
		fire_open(r, o, time);
	open_drop(r, o);
}

static void named_seen(struct rule *r, uint64_t time)
{
	struct stay *s;

	while (time > r->is->limit && (s = stay_take(&r->stays, time - r->is->limit))) {
		fire_open(r, (struct open *)(void *)s, time);
		open_drop(r, (struct open *)(void *)s);
	}
}

static void named_forget_all(struct rule *r)
{
	struct stay *s;

	while ((s = stay_take(&r->stays, UINT64_MAX)))
		open_drop(r, (struct open *)(void *)s);
}

static void named_gap(struct rule *r, uint64_t time)
{
	named_forget_all(r);
}

static void named_end(struct rule *r)
{
	named_forget_all(r);
	map64_free(&opens_of(r)->by_key);
	free(r->more);
}

/* A text as a C string: it ends at the first NUL byte of the text. */
struct name {
	char text[TRACEV2_MAX_STRING + 1];
};

static void named_name_of(struct name *ret, uint64_t arg)
{
	const struct sink_text *t = sink_arg_text(arg);
	size_t n = t->bytes ? sink_text_len(t) : 0;

	if (n > TRACEV2_MAX_STRING)
		n = TRACEV2_MAX_STRING;
	memcpy(ret->text, t->bytes ? t->bytes : "", n);
	ret->text[n] = '\0';
}

/* --- regions --- */

static void named_region_event(struct rule *r, const struct tap_step *s)
{
	const struct sink_event *e = s->event;
	struct name name;
	struct open *o;

	if (!s->by)
		return;
	named_name_of(&name, e->args[1]);
	if (!matches(r->is->name, name.text))
		return;
	if (e->kind == EV_UserRegionBegin) {
		open_add(r, s, s->by->id, e->args[0], name.text, e->args[2]);
		return;
	}
	o = open_find(r, s->by->id);
	if (o && o->task == e->args[0] && !strcmp(o->name, name.text))
		open_end(r, o, e->time);
}

/* The end of a goroutine ends all of its regions. */
static void region_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	struct open *o;

	while (opens_of(r)->n && (o = open_find(r, g->id)))
		open_end(r, o, time);
}

const struct family family_region = {
	.begin = named_begin,
	.event = named_region_event,
	.gone = region_gone,
	.seen = named_seen,
	.gap = named_gap,
	.end = named_end,
	.events = { EV_UserRegionBegin, EV_UserRegionEnd },
	.stream = true,
	.lasts = true,
};

/* --- tasks --- */

static void named_task_event(struct rule *r, const struct tap_step *s)
{
	const struct sink_event *e = s->event;
	struct name name;
	struct open *o;

	if (e->kind == EV_UserTaskBegin) {
		named_name_of(&name, e->args[2]);
		if (matches(r->is->name, name.text))
			open_add(r, s, e->args[0], e->args[0], name.text, e->args[3]);
		return;
	}
	o = open_find(r, e->args[0]);
	if (o)
		open_end(r, o, e->time);
}

const struct family family_task = {
	.begin = named_begin,
	.event = named_task_event,
	.seen = named_seen,
	.gap = named_gap,
	.end = named_end,
	.events = { EV_UserTaskBegin, EV_UserTaskEnd },
	.stream = true,
	.lasts = true,
};
