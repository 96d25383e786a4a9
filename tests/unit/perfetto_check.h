/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_check: reads a Perfetto trace as user/perfetto writes it, counts where it breaks a rule that readers rely
 * on, and shows it as text. For the unit test and the fuzzer. The rules:
 *
 *	a text, frame or stack is defined before an event refers to its number; a track has its descriptor before its first
 *	event; slices of a track nest, do not end before their begin, and have all ended; texts are UTF-8; each flow (an arrow)
 *	has an end.
 */
#ifndef GOTAP_TESTS_PERFETTO_CHECK_H
#define GOTAP_TESTS_PERFETTO_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "perfetto/fields.h"
#include "read/text_quote.h"

/* --- the wire --- */

struct pb {
	const uint8_t *p, *end;
};

struct pb_field {
	uint32_t number;
	uint64_t value;		/* of a varint or fixed64 */
	struct pb bytes;	/* of a field of another type */
};

static inline uint64_t pb_varint(struct pb *in)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; in->p < in->end && shift < 64; shift += 7) {
		v |= (uint64_t)(*in->p & 0x7f) << shift;
		if (*in->p++ < 0x80)
			return v;
	}
	printf("# a number breaks off\n");
	abort();
}

static inline bool pb_next(struct pb *in, struct pb_field *f)
{
	uint64_t tag, n;

	if (in->p == in->end)
		return false;
	tag = pb_varint(in);
	*f = (struct pb_field){ .number = (uint32_t)(tag >> 3) };
	if ((tag & 7) == 0) {
		f->value = pb_varint(in);
		return true;
	}
	n = (tag & 7) == 1 ? 8 : (tag & 7) == 2 ? pb_varint(in) : UINT64_MAX;
	if (n > (uint64_t)(in->end - in->p)) {
		printf("# a field breaks off\n");
		abort();
	}
	if ((tag & 7) == 1)
		memcpy(&f->value, in->p, 8);
	f->bytes = (struct pb){ in->p, in->p + n };
	in->p += n;
	return true;
}

/* --- state --- */

struct pcheck_slice {
	int64_t time;
	int type;		/* EVENT_BEGIN, _END, _INSTANT */
	size_t order;
	uint64_t track;
};

struct pcheck {
	struct map64 texts[32];		/* by field of interned data: iid -> a copy of the text */
	struct map64 frames, stacks, tracks;	/* iid -> 1; uuid -> a copy of the name */
	struct vec slices;		/* struct pcheck_slice */
	int64_t steps, from, clock;
	uint64_t flow;			/* the arrow that is to end at the next event */
	struct buf shown;
	unsigned wrong;
};

#define PCHECK(c, cond, what)								\
	do {										\
		if (!(cond)) {								\
			(c)->wrong++;							\
			printf("# not so: %s (line %d)\n", what, __LINE__);		\
		}									\
	} while (0)

static inline char *pcheck_text(struct pcheck *c, struct pb bytes)
{
	const uint8_t *p = bytes.p;
	uint32_t rune;
	size_t n;

	for (; p < bytes.end; p += n) {
		n = rune_decode(p, (size_t)(bytes.end - p), &rune);
		PCHECK(c, *p < 0x80 || n > 1, "texts are UTF-8");
	}
	return xstrndup((const char *)bytes.p, (size_t)(bytes.end - bytes.p));
}

static inline const char *pcheck_named(struct pcheck *c, struct map64 *m, uint64_t iid, const char *what)
{
	const uint64_t *found = map64_get(m, iid);

	PCHECK(c, found, what);
	return found && *found > 1 ? (const char *)(uintptr_t)*found : "";
}

/* --- packets --- */

static inline void pcheck_stack(struct pcheck *c, struct pb in)
{
	struct pb_field f;
	uint64_t frames = 0;

	while (pb_next(&in, &f)) {
		if (f.number == STACK_IID)
			*map64_put(&c->stacks, f.value, NULL) = 1;
		else
			pcheck_named(c, &c->frames, f.value, "a frame is there before its stack");
		frames += f.number == STACK_FRAME;
	}
	PCHECK(c, frames, "a stack has frames");
}

static inline void pcheck_frame(struct pcheck *c, struct pb in)
{
	struct pb_field f;

	while (pb_next(&in, &f)) {
		if (f.number == FRAME_IID)
			*map64_put(&c->frames, f.value, NULL) = 1;
		else if (f.number == FRAME_FUNCTION)
			pcheck_named(c, &c->texts[INTERNED_FUNCTIONS], f.value, "a function is there before its frame");
		else if (f.number == FRAME_SOURCE)
			pcheck_named(c, &c->texts[INTERNED_SOURCES], f.value, "a file is there before its frame");
	}
}

static inline void pcheck_interned(struct pcheck *c, struct pb in)
{
	struct pb_field f, part;
	uint64_t iid = 0;
	bool is_new = true;

	while (pb_next(&in, &f)) {
		if (f.number == INTERNED_STACKS) {
			pcheck_stack(c, f.bytes);
			continue;
		}
		if (f.number == INTERNED_FRAMES) {
			pcheck_frame(c, f.bytes);
			continue;
		}
		while (pb_next(&f.bytes, &part)) {
			if (part.number == TEXT_IID)
				iid = part.value;
			else
				*map64_put(&c->texts[f.number], iid, &is_new) =
					(uintptr_t)pcheck_text(c, part.bytes);
		}
		PCHECK(c, is_new, "a text is written once");
	}
}

static inline void pcheck_track(struct pcheck *c, struct pb in, bool timed)
{
	char *name = NULL;
	struct pb_field f;
	uint64_t uuid = 0, *known;
	bool is_new;

	buf_printf(&c->shown, "track");
	while (pb_next(&in, &f)) {
		if (f.number == TRACK_UUID)
			uuid = f.value;
		if (f.number == TRACK_NAME)
			name = pcheck_text(c, f.bytes);
		if (f.number == TRACK_THREAD)
			PCHECK(c, timed, "a thread's track has a time, at which the thread is there");
		if (f.number == TRACK_PARENT)
			PCHECK(c, map64_get(&c->tracks, f.value), "a parent is there before its children");
		if (f.bytes.p)
			continue;
		buf_printf(&c->shown, " %s%llu", f.number == TRACK_UUID ? "" : f.number == TRACK_PARENT ? "in " :
			   f.number == TRACK_RANK ? "rank " : f.number == TRACK_MERGE ? "apart " : "ordered ",
			   (unsigned long long)f.value);
	}
	buf_printf(&c->shown, " \"%s\"\n", name ? name : "");
	known = map64_put(&c->tracks, uuid, &is_new);
	if (!is_new && *known > 1)
		free((void *)(uintptr_t)*known);
	*known = name ? (uintptr_t)name : 1;
}

static inline void pcheck_note(struct pcheck *c, struct pb in)
{
	struct pb_field f;

	while (pb_next(&in, &f)) {
		if (f.number == ANNOTATION_NAME)
			buf_printf(&c->shown, " %s=", pcheck_named(c, &c->texts[INTERNED_ANNOTATIONS], f.value,
								   "an annotation's name is there"));
		else if (f.number == ANNOTATION_UINT)
			buf_printf(&c->shown, "%llu", (unsigned long long)f.value);
		else
			buf_printf(&c->shown, "%.*s", (int)(f.bytes.end - f.bytes.p), f.bytes.p);
	}
}

static inline void pcheck_event(struct pcheck *c, struct pb in, int64_t time)
{
	static const char *const types[] = { "?", "begin", "end", "instant", "count" };
	struct pcheck_slice *s = vec_push(&c->slices, sizeof(*s));
	struct pb_field f;
	uint64_t flow = c->flow, ended = 0;

	*s = (struct pcheck_slice){ .time = time, .order = c->slices.len };
	c->flow = 0;
	buf_printf(&c->shown, "%lld", (long long)(time - c->from));
	while (pb_next(&in, &f)) {
		switch (f.number) {
		case EVENT_TYPE:
			s->type = (int)f.value;
			buf_printf(&c->shown, " %s", types[f.value & 7 ? f.value % 5 : 0]);
			break;
		case EVENT_TRACK:
			s->track = f.value;
			buf_printf(&c->shown, " on %llu", (unsigned long long)f.value);
			PCHECK(c, map64_get(&c->tracks, f.value), "a track is there before its events");
			break;
		case EVENT_CATEGORY:
			buf_printf(&c->shown, " %s", pcheck_named(c, &c->texts[INTERNED_CATEGORIES], f.value, "a category is there"));
			break;
		case EVENT_NAME_IID:
			buf_printf(&c->shown, " \"%s\"", pcheck_named(c, &c->texts[INTERNED_NAMES], f.value, "a name is there"));
			break;
		case EVENT_CALLSTACK:
			buf_printf(&c->shown, " @%llu", (unsigned long long)f.value);
			pcheck_named(c, &c->stacks, f.value, "a stack is there before its events");
			break;
		case EVENT_NAME:
			free(pcheck_text(c, f.bytes));
			buf_printf(&c->shown, " '%.*s'", (int)(f.bytes.end - f.bytes.p), f.bytes.p);
			break;
		case EVENT_FLOW:
			c->flow = f.value;
			buf_printf(&c->shown, " ->");
			break;
		case EVENT_FLOW_END:
			ended = f.value;
			buf_printf(&c->shown, " <-");
			break;
		case EVENT_COUNTER_VALUE:
			buf_printf(&c->shown, " %llu", (unsigned long long)f.value);
			break;
		case EVENT_ANNOTATION:
			pcheck_note(c, f.bytes);
			break;
		}
	}
	PCHECK(c, flow == ended, "an arrow ends at the next event");
	buf_add_byte(&c->shown, '\n');
}

static inline void pcheck_state(struct pcheck *c, struct pb in, const char *what)
{
	struct pb_field f;

	buf_printf(&c->shown, "%s", what);
	while (pb_next(&in, &f)) {
		if (f.bytes.p)
			buf_printf(&c->shown, " [%u]", f.number);
		else
			buf_printf(&c->shown, " %u=%lld", f.number, (long long)f.value);
	}
	buf_add_byte(&c->shown, '\n');
}

static inline void pcheck_packet(struct pcheck *c, struct pb in)
{
	uint64_t time = 0, clock = CLOCK_STEPS_ID;
	struct pb_field f, content = {0};
	bool timed = false;

	while (pb_next(&in, &f)) {
		if (f.number == PACKET_TIMESTAMP) {
			time = f.value;
			timed = true;
		} else if (f.number == PACKET_TIMESTAMP_CLOCK) {
			clock = f.value;
		} else if (f.bytes.p) {
			content = f;
		}
	}
	if (timed && clock == CLOCK_STEPS_ID)
		time = (uint64_t)(c->steps += (int64_t)time);
	switch (content.number) {
	case PACKET_CLOCK_SNAPSHOT:
		if (!c->clock)
			c->steps = c->from = (int64_t)time;
		c->clock = (int64_t)clock;
		buf_printf(&c->shown, "clocks %llu of %llu\n", (unsigned long long)time, (unsigned long long)clock);
		break;
	case PACKET_INTERNED_DATA:
		pcheck_interned(c, content.bytes);
		break;
	case PACKET_TRACK_DESCRIPTOR:
		pcheck_track(c, content.bytes, timed);
		break;
	case PACKET_TRACK_EVENT:
		PCHECK(c, timed, "an event has a time");
		pcheck_event(c, content.bytes, (int64_t)time);
		break;
	case PACKET_TASK_STATE:
		pcheck_state(c, content.bytes, "thread");
		break;
	case PACKET_PROCESS_TREE:
		buf_printf(&c->shown, "processes\n");
		break;
	case PACKET_FTRACE_EVENTS:
		buf_printf(&c->shown, "ftrace\n");
		break;
	}
}

/* --- slices --- */

static int pcheck_by_time(const void *a, const void *b)
{
	const struct pcheck_slice *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Checks the slices by time, and in the order of the file where times are equal, as readers do. */
static inline void pcheck_nesting(struct pcheck *c)
{
	int64_t depth = 0;
	size_t i;

	if (c->slices.len)
		qsort(c->slices.data, c->slices.len, sizeof(struct pcheck_slice), pcheck_by_time);
	for (i = 0; i < c->slices.len; i++) {
		const struct pcheck_slice *s = vec_at(&c->slices, struct pcheck_slice, i);

		if (i && s->track != s[-1].track) {
			PCHECK(c, !depth, "all slices end");
			depth = 0;
		}
		depth += s->type == EVENT_BEGIN ? 1 : s->type == EVENT_END ? -1 : 0;
		PCHECK(c, depth >= 0, "a slice ends after its begin");
		if (depth < 0)
			depth = 0;
	}
	PCHECK(c, !depth, "all slices end");
}

static inline void pcheck_free_texts(struct map64 *m)
{
	size_t i;

	for (i = 0; i < m->made; i++)
		if (m->slots[i].used && m->slots[i].value > 1)
			free((void *)(uintptr_t)m->slots[i].value);
	map64_free(m);
}

/* Reads @n bytes; returns how often a rule was broken. The text is in c->shown until pcheck_free(). */
static inline unsigned pcheck_read(struct pcheck *c, const void *data, size_t n)
{
	struct pb in = { data, (const uint8_t *)data + n };
	struct pb_field f;

	*c = (struct pcheck){0};
	while (pb_next(&in, &f))
		pcheck_packet(c, f.bytes);
	PCHECK(c, !c->flow, "an arrow ends");
	pcheck_nesting(c);
	buf_add_byte(&c->shown, 0);
	return c->wrong;
}

static inline void pcheck_free(struct pcheck *c)
{
	size_t i;

	for (i = 0; i < 32; i++)
		pcheck_free_texts(&c->texts[i]);
	pcheck_free_texts(&c->frames);
	pcheck_free_texts(&c->stacks);
	pcheck_free_texts(&c->tracks);
	vec_free(&c->slices);
	buf_free(&c->shown);
}

#endif
