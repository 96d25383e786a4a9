// SPDX-License-Identifier: Apache-2.0
/* describe: see describe.h. */
#define _GNU_SOURCE
#include "flight/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "base/vec.h"

struct flight_extent describe_extent(const struct history_range *r)
{
	struct flight_extent x = { .generations = r->n,
				   .bytes = r->header_bytes,
				   .dropped = r->dropped };
	const struct history_generation *last = r->gens[r->n - 1];
	size_t i;

	x.from = r->gens[0]->from;
	x.all = last->losses;
	x.losses.lost = last->losses.lost - r->before.lost;
	x.losses.repairs = last->losses.repairs - r->before.repairs;
	x.losses.unrecorded = last->losses.unrecorded - r->gens[0]->losses.unrecorded;
	for (i = 0; i < r->n; i++) {
		x.bytes += r->gens[i]->bytes;
		if (r->gens[i]->to > x.to)
			x.to = r->gens[i]->to;
	}
	return x;
}

static void describe_put_seconds(struct json_out *j, const char *name, int64_t ns)
{
	json_put_real(j, name, (double)ns / 1e9, 9);
}

/* 2026-11-22T16:22:01.123456Z */
static void put_time(struct json_out *j, const char *name, uint64_t wall)
{
	time_t t = (time_t)(wall / 1000000000);
	char day[32], text[48];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%06uZ", day, (unsigned int)(wall % 1000000000 / 1000));
	json_put_text(j, name, text);
}

static void describe_put_stack(struct json_out *j, const char *stack)
{
	_cleanup_free_ char *copy = xstrdup(stack);
	char *line, *rest = copy;

	json_open_array(j, "stack");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			json_put_text(j, NULL, line);
	json_close_array(j);
}

/* And the command that shows its critical path. */
static void describe_put_request(struct json_out *j, const struct flight_fact *fact,
				 const char *trace)
{
	_cleanup_free_ char *word = show_file_word(trace);
	_cleanup_free_ char *next = xasprintf("gotap why %s --request %" PRIu64, word,
						fact->request);

	json_put_count(j, "task", fact->task);
	json_put_count(j, "request", fact->request);
	json_put_text(j, "next", next);
}

static void put_trigger(struct json_out *j, const struct request *r, const struct flight_extent *x,
			const char *trace)
{
	json_open_object(j, "trigger");
	json_put_text(j, "name", r->fact.trigger);
	json_put_text(j, "what", r->fact.what);
	json_put_text(j, "id", r->fact.id);
	if (*r->fact.from)
		json_put_text(j, "from", r->fact.from);
	put_time(j, "time", r->wall);
	json_put_count(j, "monotonic_ns", r->fact.time);
	describe_put_seconds(j, "at_s", (int64_t)(r->fact.time - x->from));
	if (r->fact.g)
		json_put_count(j, "goroutine", r->fact.g);
	if (r->fact.m)
		json_put_count(j, "thread", r->fact.m);
	if (r->fact.request)
		describe_put_request(j, &r->fact, trace);
	if (*r->fact.stack)
		describe_put_stack(j, r->fact.stack);
	json_close_object(j);
}

/* Returns why the snapshot begins later than asked for, or ends earlier; NULL: it does neither. */
static const char *why_short(const struct request *r, const struct flight_extent *x)
{
	if (r->unknown)
		return "nothing was recorded at that time (--budget, or losses): the trace does "
		       "not show what happened";
	if (x->from > r->from && x->dropped)
		return "what came before was not in memory any more (TIME and SIZE of --flight)";
	if (r->cut)
		return "the recording ended";
	return x->from > r->from ? "the recording had just begun" : NULL;
}

static void put_window(struct json_out *j, const struct flight_opts *o, const struct request *r,
		       const struct flight_extent *x)
{
	json_open_object(j, "window");
	describe_put_seconds(j, "before_s", (int64_t)o->before);
	describe_put_seconds(j, "after_s", (int64_t)o->after);
	describe_put_seconds(j, "duration_s", (int64_t)(x->to - x->from));
	json_put_count(j, "generations", x->generations);
	json_put_text(j, "short", why_short(r, x));
	json_close_object(j);
}

static void put_losses(struct json_out *j, const char *name, const struct history_losses *l)
{
	json_open_object(j, name);
	json_put_count(j, "lost", l->lost);
	json_put_count(j, "repairs", l->repairs);
	describe_put_seconds(j, "unrecorded_s", (int64_t)l->unrecorded);
	json_close_object(j);
}

static void describe_put_process(struct json_out *j, const struct capture_info *info)
{
	json_open_object(j, "process");
	json_put_count(j, "pid", info->pid);
	json_put_text(j, "exe", info->exe);
	json_put_text(j, "go", info->go_version);
	json_put_text(j, "build_id", info->build_id);
	json_close_object(j);
}

char *describe(const struct flight_opts *o, const struct request *r, const struct flight_extent *x,
	       const char *name, size_t *n)
{
	char *text = NULL;
	struct json_out j = { .f = open_memstream(&text, n) };

	json_open_object(&j, NULL);
	json_put_text(&j, "gotap", GOTAP_VERSION);
	json_put_text(&j, "trace", name);
	json_put_count(&j, "number", r->id);
	json_put_count(&j, "bytes", x->bytes);
	put_trigger(&j, r, x, name);
	put_window(&j, o, r, x);
	describe_put_process(&j, o->info);
	if (r->fact.beside)
		r->fact.beside->put(r->fact.beside->ctx, &j, name);
	put_losses(&j, "losses", &x->losses);
	put_losses(&j, "losses_since_begin", &x->all);
	json_put_count(&j, "triggers_refused", r->refused);
	json_close_object(&j);
	fputc('\n', j.f);
	fclose(j.f);
	return text;
}
