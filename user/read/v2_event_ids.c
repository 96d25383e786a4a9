// SPDX-License-Identifier: Apache-2.0
/* v2_event_ids: see v2_event_ids.h. */
#include "read/v2_event_ids.h"

#include <stdio.h>

static struct id_places places_of(const struct raw_spec *spec)
{
	struct id_places at = { NO_ARG, NO_ARG, false, NO_ARG };
	uint8_t strings = spec->strings;

	if (spec->stack)
		at.stack = spec->stack - 1;
	if (spec->new_stack) {
		at.other = spec->new_stack - 1;
		at.is_stack = true;
	} else if (strings) {
		at.other = (uint8_t)(__builtin_ctz(strings) - 1);
	}
	strings &= (uint8_t)(strings - 1);
	if (strings)
		at.third = (uint8_t)(__builtin_ctz(strings) - 1);
	return at;
}

/* TRACE_SYNC has no ids. Go does not check the stack id of a CPU sample. */
void event_ids_init(struct event_ids *ids, const struct raw_specs *specs, struct v2_fault *fault)
{
	static const struct raw_spec none;
	unsigned type;

	*ids = (struct event_ids){ .specs = specs, .fault = fault };
	for (type = 0; type < 256; type++) {
		bool has_ids = type < RAW_SPECS && type != EV_CPUSample;

		ids->of[type] = places_of(has_ids ? &specs->of[type] : &none);
	}
}

static bool bad_id(struct event_ids *ids, const struct trace_event *ev, const char *what,
		   uint64_t id)
{
	struct v2_fault *f = ids->fault;

	fault_set(f, &ev->place, "found invalid %s ID %llu for event %s", what,
		  (unsigned long long)id, ids->specs->of[ev->type].name);
	event_describe(ev, ids->specs, f->event, sizeof(f->event));
	snprintf(f->state, sizeof(f->state), "in the context of M %lld P %lld G %lld",
		 (long long)ev->m, (long long)ev->p, (long long)ev->g);
	return false;
}

/* In an incomplete generation an id that its tables lack is replaced by 0. */
static bool drop_unknown_ids(struct event_ids *ids, const struct v2_tables *t,
			     struct trace_event *ev)
{
	const struct id_places *at = &ids->of[ev->type];
	const uint8_t places[] = { at->stack, at->other, at->third };
	int i;

	for (i = 0; i < 3; i++) {
		bool stack = i == 0 || (i == 1 && at->is_stack);
		uint64_t *id = &ev->args[places[i]];

		if (stack ? tables_have_stack(t, *id) : tables_have_string(t, *id))
			continue;
		*id = 0;
		ids->dropped++;
	}
	return true;
}

bool __attribute__((noinline))
event_ids_check_slowly(struct event_ids *ids, const struct v2_tables *t, struct trace_event *ev)
{
	const struct id_places *at = &ids->of[ev->type];
	uint64_t stack = ev->args[at->stack], other = ev->args[at->other];
	uint64_t third = ev->args[at->third];

	if (ids->drop_unknown)
		return drop_unknown_ids(ids, t, ev);
	if (!tables_have_stack(t, stack))
		return bad_id(ids, ev, "stack", stack);
	if (at->is_stack && !tables_have_stack(t, other))
		return bad_id(ids, ev, "stack", other);
	if (!at->is_stack && !tables_have_string(t, other))
		return bad_id(ids, ev, "string", other);
	if (!tables_have_string(t, third))
		return bad_id(ids, ev, "string", third);
	return true;
}
