// SPDX-License-Identifier: Apache-2.0
/*
 * allocs: sampled allocations and the ends of these objects, as log events (read/alloc.h). See
 * handlers.h. The end of an object belongs to the last allocation at its address: an object has one
 * special record of the profiler, by which both probes know it. After lost records, and after a
 * time without probes, an end may be that of an allocation that no record tells of: what is known
 * is forgotten then, nothing is kept until the last lost record, and no later end gets a false
 * lifetime.
 */
#include "sched/handlers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/alloc.h"
#include "sched/steps.h"

enum {
	/* Live samples: those of 512 GiB at the runtime's own rate. Others are counted. */
	SAMPLES_MOST = 1 << 20,
	TYPES_MOST = 1 << 16,	/* stacks of which the type is kept */
	TYPE_ROOM = 256,
	MESSAGE_ROOM = 128 + TYPE_ROOM,
	LATE_MOST = 1 << 22,	/* bytes */
};

struct sample {
	uint64_t stack, size, rate;
	uint64_t collections;	/* that had begun before it */
	const char *type;	/* "": not known; owned by model.allocs.types */
};

static struct sample *allocs_at(const struct model *s, uint64_t addr)
{
	const uint64_t *slot = map64_get(&s->allocs.live, addr);

	return slot ? (struct sample *)(uintptr_t)*slot : NULL;
}

/* The type is a fact of the place: two allocations with one stack have the same. */
static const char *allocs_type(struct model *s, uint64_t stack)
{
	uint64_t *known = map64_get(&s->allocs.types, stack);
	char name[TYPE_ROOM], *kept;
	ssize_t n;

	if (known)
		return (const char *)(uintptr_t)*known;
	if (!stack || !s->opts.alloc_type)
		return "";
	if (s->allocs.types.len >= TYPES_MOST) {
		s->counts.allocs_untyped += s->started;
		return "";
	}
	n = s->opts.alloc_type(s->opts.alloc_ctx, stack, name, sizeof(name));
	if (n < 0)	/* a later record may have the stack */
		return "";
	kept = xcalloc(1, (size_t)n + 1);
	memcpy(kept, name, (size_t)n);
	*map64_put(&s->allocs.types, stack, NULL) = (uint64_t)(uintptr_t)kept;
	return kept;
}

static struct sample *allocs_put(struct model *s, uint64_t addr)
{
	struct sample *a = allocs_at(s, addr);

	if (a) {	/* the record of its end is missing */
		s->counts.allocs_unpaired++;
		return a;
	}
	if (s->allocs.live.len >= SAMPLES_MOST) {
		s->allocs.beyond = true;
		s->counts.allocs_unpaired++;
		return NULL;
	}
	a = xcalloc(1, sizeof(*a));
	*map64_put(&s->allocs.live, addr, NULL) = (uint64_t)(uintptr_t)a;
	return a;
}

/*
 * The end of an object that was swept when its thread ran no goroutine: a P's cache gives its spans
 * back when a thread takes the P (prepareForSweep). The event waits for the next goroutine.
 */
struct late_end {
	uint64_t stack;
	char text[MESSAGE_ROOM];
};

static void allocs_put_late(struct model *s, const char *text, uint64_t stack)
{
	struct late_end end = { .stack = stack };

	if (s->allocs.late.len >= LATE_MOST) {
		s->counts.allocs_homeless++;
		return;
	}
	snprintf(end.text, sizeof(end.text), "%s", text);
	buf_add(&s->allocs.late, &end, sizeof(end));
	s->tell_allocs = true;
}

static void allocs_write_late(struct model *s, struct M *m)
{
	const struct late_end *ends = (const struct late_end *)s->allocs.late.data;
	size_t i;

	for (i = 0; i < s->allocs.late.len / sizeof(*ends); i++)
		step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT(ALLOC_FREE_CATEGORY),
			  SINK_TEXT(ends[i].text, strlen(ends[i].text)), ends[i].stack);
	s->allocs.late.len = 0;
	s->tell_allocs = false;
}

void allocs_tell(struct model *s, struct M *m)
{
	if (!s->started)
		return;
	if (!m_speaks(m))
		m = soon_speaker(s);
	if (m)
		allocs_write_late(s, m);
}

static void allocs_drop_late(struct model *s)
{
	s->counts.allocs_homeless += s->allocs.late.len / sizeof(struct late_end);
	s->allocs.late.len = 0;
	s->tell_allocs = false;
}

void allocs_tell_last(struct model *s)
{
	struct M *m = s->started ? any_speaker(s) : NULL;

	if (m_speaks(m))
		allocs_write_late(s, m);
	allocs_drop_late(s);
}

/* Only a goroutine with a P can have a log event: other allocations are counted. */
static void allocs_emit(struct model *s, struct M *m, const char *category, const char *text,
			uint64_t stack)
{
	if (!s->started)
		return;
	if (m_speaks(m))
		step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT(category),
			  SINK_TEXT(text, strlen(text)), stack);
	else if (!strcmp(category, ALLOC_FREE_CATEGORY))
		allocs_put_late(s, text, stack);
	else
		s->counts.allocs_homeless++;
}

static void allocs_add(char *text, const char *key, uint64_t value)
{
	size_t n = strlen(text);

	if (value)
		snprintf(text + n, MESSAGE_ROOM - n, " %s=%" PRIu64, key, value);
}

static void allocs_message(char text[MESSAGE_ROOM], const struct sample *a, uint64_t collections)
{
	size_t n;

	snprintf(text, MESSAGE_ROOM, "size=%" PRIu64, a->size);
	allocs_add(text, "rate", a->rate);
	allocs_add(text, "collections", collections);
	n = strlen(text);
	if (a->type && *a->type)
		snprintf(text + n, MESSAGE_ROOM - n, " type=%s", a->type);
}

void alloc_sampled(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_long *l = as_long(r);
	struct sample now = {
		.stack = l->stack, .size = r->ptr, .rate = l->arg,
		.collections = s->allocs.collections, .type = allocs_type(s, l->stack),
	};
	struct sample *kept;
	char text[MESSAGE_ROOM];

	if (!r->ptr)	/* the runtime samples no object without a size */
		return;
	if (r->time > s->allocs.doubtful) {
		kept = allocs_put(s, r->id);
		if (kept)
			*kept = now;
	} else {
		s->counts.allocs_unpaired++;
	}
	s->counts.allocs += s->started;
	allocs_message(text, &now, 0);
	allocs_emit(s, m, ALLOC_CATEGORY, text, l->stack);
}

void sample_freed(struct model *s, struct M *m, const struct rec *r)
{
	struct sample *a = allocs_at(s, r->id), before = { .size = r->ptr };
	char text[MESSAGE_ROOM];

	if (!r->ptr)
		return;
	s->counts.frees += s->started;
	if (s->started && !a)
		++*(s->allocs.beyond ? &s->counts.frees_beyond : &s->counts.frees_before);
	allocs_message(text, a ? a : &before, a ? s->allocs.collections - a->collections : 0);
	allocs_emit(s, m, ALLOC_FREE_CATEGORY, text, a ? a->stack : 0);
	if (a)
		map64_del(&s->allocs.live, r->id);
	free(a);
}

void allocs_collection(struct model *s)
{
	s->allocs.collections++;
}

void allocs_forget(struct model *s)
{
	size_t i;

	map64_each(&s->allocs.live, i)
		free(map64_ptr(&s->allocs.live, i, struct sample));
	s->counts.allocs_unpaired += s->allocs.live.len;
	map64_clear(&s->allocs.live);
	s->allocs.beyond = false;
}

void allocs_forget_until(struct model *s, uint64_t time)
{
	allocs_forget(s);
	if (time > s->allocs.doubtful)
		s->allocs.doubtful = time;
}

void allocs_free(struct model *s)
{
	size_t i;

	allocs_forget(s);
	buf_free(&s->allocs.late);
	map64_free(&s->allocs.live);
	map64_each(&s->allocs.types, i)
		free(map64_ptr(&s->allocs.types, i, char));
	map64_free(&s->allocs.types);
}
