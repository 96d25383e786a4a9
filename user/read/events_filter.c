// SPDX-License-Identifier: Apache-2.0
/* events_filter: decides which events are printed. See struct events_filter. */
#include "read/events_form.h"

/* --- setting of the filter --- */

static bool add_type(struct events_filter *f, const char *name, size_t n)
{
	enum view_kind kind = view_kind_named(name, n);
	int type = view_event_named(name, n);
	int i;

	for (i = 0; i < 256; i++)
		if (i == type || (kind && view_specs[i].kind == kind))
			f->types[i] = true;
	return type >= 0 || kind;
}

bool events_add_types(struct events_filter *f, const char *names, const char **bad, size_t *len)
{
	f->some_types = true;
	for (;; names += *len + 1) {
		*bad = names;
		*len = strcspn(names, ",");
		if (!add_type(f, names, *len))
			return false;
		if (!names[*len])
			return true;
	}
}

void events_filter_free(struct events_filter *f)
{
	map64_free(&f->goroutines);
	map64_free(&f->procs);
	map64_free(&f->threads);
}

/* --- checks of an event --- */

/*
 * The goroutine or P that an event is about, if this is not the one on which it happens;
 * RESOURCE_NONE for most kinds.
 */
static enum resource subject_of(const struct trace_event *ev, uint64_t *id)
{
	struct view_range range;
	struct view_transition tr;

	switch (view_kind(ev)) {
	case VIEW_STATE_TRANSITION:
		tr = view_transition(ev);
		*id = tr.id;
		return tr.of;
	case VIEW_RANGE_ACTIVE:	/* other ranges belong to the goroutine or P on which they happen */
		range = view_range(ev);
		*id = range.id;
		return range.scope;
	default:
		return RESOURCE_NONE;
	}
}

static bool filter_concerns(const struct map64 *ids, uint64_t where, enum resource of,
		     const struct trace_event *ev)
{
	uint64_t id;

	return !ids->len || map64_get(ids, where) ||
	       (subject_of(ev, &id) == of && map64_get(ids, id));
}

static bool names_func(struct events *e, const struct trace_event *ev)
{
	const regex_t *func = e->o->filter.func;

	return !func || (e->gen && (events_stack_matches(&e->stacks, view_stack(ev), func) ||
				    events_stack_matches(&e->stacks, events_new_stack(ev), func)));
}

bool events_pass(struct events *e, const struct trace_event *ev)
{
	const struct events_filter *f = &e->o->filter;

	return (!f->some_types || f->types[ev->type]) &&
	       (!f->threads.len || map64_get(&f->threads, ev->m)) &&
	       filter_concerns(&f->goroutines, ev->g, RESOURCE_GOROUTINE, ev) &&
	       filter_concerns(&f->procs, ev->p, RESOURCE_PROC, ev) && names_func(e, ev);
}
