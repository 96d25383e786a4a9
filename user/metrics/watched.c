// SPDX-License-Identifier: Apache-2.0
/* watched: see watched.h. docs/top.md has the fields of the lines. */
#include "metrics/watched.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const watched_state_names[WATCHED_STATES] = {
	"running", "runnable", "syscall", "waiting",
};

/* --- JSON --- */

/* A member of an object; NULL: there is none. */
static json_object *get(json_object *of, const char *name)
{
	json_object *value = NULL;

	return of && json_object_object_get_ex(of, name, &value) ? value : NULL;
}

static uint64_t count_of(json_object *of, const char *name)
{
	json_object *value = get(of, name);

	return value ? json_object_get_uint64(value) : 0;
}

/* A time or a part: never less than 0; @without if the line does not have it. */
static double real_of(json_object *of, const char *name, double without)
{
	json_object *value = get(of, name);
	double ret = value ? json_object_get_double(value) : without;

	return isfinite(ret) && (ret >= 0 || !value) ? ret : without;
}

/* --- sums --- */

/* The limits are those of the first line: another gotap has not written the others. */
static void watched_take_limits(struct watched *w, json_object *list)
{
	size_t n = json_object_array_length(list), i;

	if (w->limits)
		return;
	w->limits = n < WATCHED_LIMITS ? (unsigned int)n : WATCHED_LIMITS;
	for (i = 0; i < w->limits; i++)
		w->limits_ns[i] = json_object_get_uint64(json_object_array_get_idx(list, i));
}

static void add_histogram(struct watched *w, struct watched_histogram *h, json_object *from)
{
	json_object *counts = get(from, "counts");
	size_t i, n = json_object_is_type(counts, json_type_array) ?
			      json_object_array_length(counts) : 0;

	for (i = 0; i < n; i++)
		h->counts[i < w->limits ? i : w->limits] +=
			json_object_get_uint64(json_object_array_get_idx(counts, i));
	h->sum += real_of(from, "sum_seconds", 0);
}

static void add_histograms(struct watched *w, json_object *from)
{
	json_object *limits = get(from, "limits_ns");

	if (!json_object_is_type(limits, json_type_array))
		return;
	watched_take_limits(w, limits);
	add_histogram(w, &w->sched, get(from, "sched"));
	add_histogram(w, &w->stops_gc, get(from, "stops_gc"));
	add_histogram(w, &w->stops_other, get(from, "stops_other"));
}

/* The reason of that text; the last one has the rest if there are too many. */
static struct watched_reason *watched_reason_of(struct watched *w, const char *text)
{
	unsigned int i;

	for (i = 0; i < w->n_reasons; i++)
		if (!strncmp(w->reasons[i].text, text, WATCHED_REASON - 1))
			return &w->reasons[i];
	if (i == WATCHED_REASONS)
		return &w->reasons[i - 1];
	snprintf(w->reasons[i].text, WATCHED_REASON, "%s",
		 i == WATCHED_REASONS - 1 ? "(other)" : text);
	w->n_reasons++;
	return &w->reasons[i];
}

static void add_reasons(struct watched *w, json_object *list)
{
	size_t i, n = json_object_is_type(list, json_type_array) ?
			      json_object_array_length(list) : 0;

	for (i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);
		json_object *text = get(one, "reason");
		struct watched_reason *r;

		if (!text)
			continue;
		r = watched_reason_of(w, json_object_get_string(text));
		r->seconds += real_of(one, "seconds", 0);
		r->ended += count_of(get(one, "ended"), "count");
	}
}

static void add_goroutines(struct watched *w, json_object *line)
{
	json_object *now = get(line, "now"), *in = get(line, "seconds_in");
	int i;

	for (i = 0; i < WATCHED_STATES; i++) {
		w->goroutines[i] = real_of(now, watched_state_names[i], -1);
		w->in_state[i] += real_of(in, watched_state_names[i], 0);
	}
	w->created += count_of(line, "created");
	w->ended += count_of(line, "ended");
	w->syscalls += count_of(line, "syscalls");
}

static void add_memory(struct watched *w, json_object *line)
{
	json_object *gc = get(line, "gc");

	w->cycles += count_of(gc, "cycles");
	w->mark += real_of(gc, "mark_seconds", 0);
	w->assists += count_of(gc, "assists");
	w->assist += real_of(gc, "assist_seconds", 0);
	w->gomaxprocs = real_of(line, "gomaxprocs", -1);
	w->heap = real_of(line, "heap_bytes", -1);
	w->heap_goal = real_of(line, "heap_goal_bytes", -1);
}

static void add_gotap(struct watched *w, json_object *of)
{
	w->records += count_of(of, "records");
	w->lost += count_of(of, "lost");
	w->repairs += count_of(of, "repairs");
	w->unrecorded += real_of(of, "unrecorded_seconds", 0);
	w->own_cpu = real_of(of, "cpu_seconds_ever", 0);
	w->probes = real_of(of, "probes_percent", -100) / 100;
	w->budget = real_of(of, "budget_percent", -100) / 100;
	w->level = count_of(of, "budget_level");
}

bool watched_add(struct watched *w, const char *line, size_t n)
{
	json_tokener *tok = json_tokener_new();
	json_object *j = tok && n <= INT32_MAX ? json_tokener_parse_ex(tok, line, (int)n) : NULL;
	bool good = json_object_is_type(get(j, "gotap"), json_type_object) && get(j, "unix_time");

	json_tokener_free(tok);
	if (good) {
		w->intervals++;
		w->until = real_of(j, "unix_time", 0);
		w->recorded += real_of(j, "recorded_seconds", 0);
		add_goroutines(w, j);
		add_memory(w, j);
		add_histograms(w, get(j, "histograms"));
		add_reasons(w, get(j, "blocked"));
		watched_requests_add(&w->requests, get(j, "requests"));
		add_gotap(w, get(j, "gotap"));
	}
	json_object_put(j);
	return good;
}

void watched_copy(struct watched *to, const struct watched *from)
{
	*to = *from;
	to->requests = (struct watched_requests){0};
	watched_requests_copy(&to->requests, &from->requests);
}

void watched_free(struct watched *w)
{
	watched_requests_free(&w->requests);
}

void watched_again(struct watched *w)
{
	w->own_cpu_before += w->own_cpu;
	w->own_cpu = 0;
}
