// SPDX-License-Identifier: Apache-2.0
/* pprof: see pprof.h. This file has the types, and the code that all types share. */
#include "pprof/pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/internal.h"
#include "read/notes.h"
#include "read/view.h"

/* --- types --- */

static const struct value_type delays[] = {
	{ "contentions", "count", false }, { "delay", "nanoseconds", true },
};
static const struct value_type stays[] = { { "intervals", "count", false },
					   { "time", "nanoseconds", true } };
static const struct value_type ranges[] = { { "ranges", "count", false },
					    { "time", "nanoseconds", true } };
static const struct value_type goroutines[] = { { "goroutine", "count", false } };
static const struct value_type samples[] = { { "samples", "count", false } };
/* The names of runtime/pprof's profile "allocs", which viewers know. */
static const struct value_type allocs[] = { { "alloc_objects", "count", false },
					    { "alloc_space", "bytes", true } };
static const struct value_type cpu_times[] = { { "samples", "count", false },
					       { "cpu", "nanoseconds", true } };

#define VALUES(v) .values = v, .nvalues = sizeof(v) / sizeof((v)[0])
#define WAITS(...) VALUES(delays), .visitor = { .event = waits_event }, .wait = { __VA_ARGS__ }

static const struct pprof_type types[] = {
	{ "net", WAITS(GO_WAITING, waits_is_network) },
	{ "sync", WAITS(GO_WAITING, waits_is_sync), .runtime = { "contentions", "count", 1 } },
	{ "syscall", WAITS(GO_SYSCALL, NULL) },
	{ "sched", WAITS(GO_RUNNABLE, NULL) },
	{ "block", VALUES(delays), .visitor = { .span = stays_block } },
	{ "waker", VALUES(delays), .visitor = { .span = stays_waker } },
	{ "wall", VALUES(stays), .visitor = { .span = stays_wall } },
	{ "goroutine", VALUES(goroutines),
	  .visitor = { .span = stays_at, .goroutine_end = stays_at_end },
	  .runtime = { "goroutine", "count", 1 } },
	{ "gc", VALUES(ranges), .visitor = { .range = stays_gc } },
	{ "alloc", VALUES(allocs), .visitor = { .alloc = stays_alloc } },
	{ "cpu", VALUES(samples), .visitor = { .sample = stays_sample },
	  .runtime = { "cpu", "nanoseconds", 0 } },
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

const struct pprof_type *pprof_type_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < TYPES; i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

const char *pprof_type_name(unsigned int i)
{
	return i < TYPES ? types[i].name : NULL;
}

bool pprof_type_in_runtime(const struct pprof_type *type)
{
	return type->runtime.type;
}

/* --- the trace --- */

/* Returns @first + @since, or INT64_MAX if a damaged trace makes the sum too large. */
static int64_t pprof_later(int64_t first, int64_t since)
{
	int64_t time;

	return __builtin_add_overflow(first, since, &time) ? INT64_MAX : time;
}

static void pprof_begin(void *ctx, int64_t time)
{
	struct pprof *p = ctx;

	p->began = p->any = true;
	p->from = pprof_later(time, p->o->from);
	p->to = pprof_later(time, p->o->to);
	p->at = pprof_later(time, p->o->at);
}

/* Computes the time of day of p->from from the first clock of the trace. */
static void pprof_take_clock(struct pprof *p, const struct trace_event *ev)
{
	struct view_sync sync = view_sync(ev, trace_reader_generation(p->reader));
	int64_t wall;

	if (!sync.has_clock || p->clocked || sync.wall_sec > INT64_MAX / 1000000000 - 1)
		return;
	p->clocked = true;
	wall = (int64_t)((uint64_t)sync.wall_sec * 1000000000 + sync.wall_nsec -
			 ((uint64_t)sync.time - (uint64_t)p->from));
	if (wall > 0 && (!p->profile.wall_ns || wall < p->profile.wall_ns))
		p->profile.wall_ns = wall;
}

static void clock_event(void *ctx, const struct trace_event *ev)
{
	if (ev->type == TRACE_SYNC)
		pprof_take_clock(ctx, ev);
}

static void pprof_note(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		       const char *message)
{
	struct pprof *p = ctx;

	if (strcmp(category, NOTES_CATEGORY))
		return;
	p->notes++;
	if (!p->first_note)
		p->first_note = xasprintf("%s: %.200s", p->name, message);
	/* the last comments are for the facts of the recording, which follow its notes */
	if (p->profile.comments.len < PROFILE_COMMENTS)
		profile_comment(&p->profile, "%s: %s", p->name, message);
	else
		p->profile.comments_more++;
}

static void pprof_origin(void *ctx, int64_t time, const char *text)
{
	struct pprof *p = ctx;

	profile_comment(&p->profile, "%s: %s", p->name, text);
}

/* Adds up times in gaps, which are in no profile. */
static void pprof_gap(void *ctx, const struct span *span)
{
	struct pprof *p = ctx;

	if (span->gap && pprof_wants(p, span->g))
		p->unrecorded += pprof_overlap(p, span->from, span->to);
}

int pprof_read(struct pprof *p, struct trace_reader *r, const char *name, struct error *err)
{
	int ret;

	p->reader = r;
	p->name = name;
	p->began = p->clocked = false;
	profile_comment(&p->profile, "gotap pprof --type %s of %s (go 1.%d)", p->type->name, name,
			trace_reader_version(r));
	waits_begin(p);
	ret = spans_read(p->spans, r, err);
	waits_end(p);
	p->unnamed += trace_reader_unnamed(r);
	if (p->began)
		p->profile.duration_ns +=
			(int64_t)pprof_overlap(p, spans_first(p->spans), spans_last(p->spans));
	if (ret)
		profile_comment(&p->profile, "%s is damaged, this is what comes before: %s", name,
				err->text);
	else if (p->o->at != PPROF_END && p->at > spans_last(p->spans))
		ret = error_set(err, -EINVAL,
				"the trace ends %.9g s after its begin, before the time asked for",
				(double)(spans_last(p->spans) - spans_first(p->spans)) / 1e9);
	return ret;
}

/* --- what is missing --- */

/* Adds a comment and a part of the line about @n missing things, if @n is not 0. */
static void pprof_say(struct pprof *p, struct buf *line, uint64_t n, const char *what)
{
	if (!n)
		return;
	profile_comment(&p->profile, "%" PRIu64 " %s", n, what);
	buf_printf(line, "%s%" PRIu64 " %s", line->len ? "; " : "", n, what);
}

static void say_notes(struct pprof *p, struct buf *line)
{
	if (p->first_note)
		buf_printf(line, "%" PRIu64 " note%s of the recorder, first of %s", p->notes,
			   p->notes == 1 ? "" : "s", p->first_note);
	if (!p->unrecorded)
		return;
	profile_comment(&p->profile, "%.6f s of goroutines were not recorded",
			(double)p->unrecorded / 1e9);
	buf_printf(line, "%s%.6f s of goroutines were not recorded", line->len ? "; " : "",
		   (double)p->unrecorded / 1e9);
}

void pprof_finish(struct pprof *p)
{
	struct profile *profile = &p->profile;
	struct buf line = {0};

	say_notes(p, &line);
	pprof_say(p, &line, stack_set_dropped(spans_stacks(p->spans)),
		  "stacks or frames found no room");
	pprof_say(p, &line, spans_texts_dropped(p->spans), "texts found no room");
	pprof_say(p, &line, profile->untagged, "samples are without their labels");
	pprof_say(p, &line, profile->crowded, "counts are in \"(samples too many)\"");
	pprof_say(p, &line, p->unnamed, "names were cut off with the end of the trace");
	pprof_say(p, &line, profile->comments_more, "comments found no room");
	if (line.len) {
		buf_add_byte(&line, 0);
		p->missing = xstrdup((char *)line.data);
	}
	buf_free(&line);
}

const char *pprof_missing(struct pprof *p)
{
	return p->missing;
}

/* --- begin and end --- */

static void init_profile(struct pprof *p)
{
	struct profile *profile = &p->profile;

	profile_init(profile, p->spans, p->type->values, p->type->nvalues);
	if (p->o->as_runtime)
		profile->period = p->type->runtime;
	if (!p->o->sample_ns)
		return;
	profile->values = cpu_times;
	profile->nvalues = sizeof(cpu_times) / sizeof(cpu_times[0]);
	profile->period.value = p->o->sample_ns;
}

struct pprof *pprof_new(const struct pprof_options *options)
{
	struct pprof *p = xcalloc(1, sizeof(*p));
	struct spans_visitor type = options->type->visitor, all = {
		.ctx = p,
		.trace_begin = pprof_begin,
		.event = clock_event,
		.log = pprof_note, .notes = true,
		.origin = pprof_origin,
		.span = pprof_gap,
	};

	p->o = options;
	p->type = options->type;
	p->spans = spans_new();
	init_profile(p);
	type.ctx = p;
	spans_visit(p->spans, &all);
	spans_visit(p->spans, &type);
	return p;
}

bool pprof_read_any(const struct pprof *p)
{
	return p->any;
}

struct profile *pprof_profile(struct pprof *p)
{
	return &p->profile;
}

void pprof_free(struct pprof *p)
{
	if (!p)
		return;
	profile_free(&p->profile);
	spans_free(p->spans);
	free(p->first_note);
	free(p->missing);
	free(p);
}
