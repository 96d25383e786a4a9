// SPDX-License-Identifier: Apache-2.0
/* trace: see trace.h. Runs the stages; tables.c has the look-ups in the result. */
#include "v1/trace.h"

#include <stdlib.h>

#include "symbol/symbol.h"
#include "v1/futile.h"
#include "v1/internal.h"

void v1_trace_free(struct v1_trace *t)
{
	if (!t)
		return;
	vec_free(&t->pieces);
	vec_free(&t->streams);
	map64_free(&t->stream_of);
	vec_free(&t->samples);
	vec_free(&t->exits);
	buf_free(&t->blocking);
	buf_free(&t->futile);
	strset_free(t->texts);
	map64_free(&t->strings);
	map64_free(&t->stacks);
	vec_free(&t->stack_list);
	vec_free(&t->frames);
	map64_free(&t->starts);
	map64_free(&t->timer_gs);
	map64_free(&t->before);
	symbolizer_free(t->symbolizer);
	free(t);
}

/* Checks and counts all events. In a damaged trace the events that break rules are dropped. */
static int check_all(struct v1_trace *t, struct error *err)
{
	const struct v1_event *ev;
	struct v1_iter it;
	size_t n = 0;

	v1_iter_init(&it, t);
	while ((ev = v1_iter_next(&it))) {
		t->end = ev->time;
		n++;
	}
	v1_check_count(it.check, &t->goroutines, &t->procs);
	if (it.error.code && ((!t->is_cut && !t->resumed) || !n))
		*err = it.error;
	else
		it.error.code = 0;
	t->count = n;
	t->futile_cut = t->format.version < 11 ? v1_futile_count(&t->futile) : 0;
	v1_iter_release(&it);
	return it.error.code;
}

static int run_stages(struct v1_trace *t, struct error *err)
{
	int ret = v1_load(t, err);

	if (!ret)
		ret = v1_clock(t, err);
	if (!ret)
		ret = check_all(t, err);
	if (!ret && t->cut)
		t->cut->lost_events = t->events - t->count - t->futile_cut;
	t->cut = NULL;
	return ret;
}

static int v1_trace_open_trace(struct v1_trace **ret, const uint8_t *data, size_t n, bool resumed,
		      struct v1_cut *cut, struct error *err)
{
	struct v1_trace *t = xcalloc(1, sizeof(*t));
	int r;

	t->data = data;
	t->size = n;
	t->cut = cut;
	t->resumed = resumed;
	t->texts = strset_new();
	t->empty = strset_add_bytes(t->texts, "", 0);
	r = run_stages(t, err);
	if (r)
		v1_trace_free(t);
	else
		*ret = t;
	return r;
}

int v1_trace_open(struct v1_trace **ret, const uint8_t *data, size_t n, struct error *err)
{
	return v1_trace_open_trace(ret, data, n, false, NULL, err);
}

/* Damaged bytes may still be readable as records: then their events contradict the others. */
int v1_trace_open_cut(struct v1_trace **ret, const uint8_t *data, size_t n, struct v1_cut *cut,
		      struct error *err)
{
	struct error why;
	int r;

	*cut = (struct v1_cut){0};
	r = v1_trace_open_trace(ret, data, n, false, cut, &why);
	if (r != -EPROTO) {
		*err = why;
		return r;
	}
	*cut = (struct v1_cut){ .is_cut = true, .resumed = true, .places = 1, .why = why };
	return v1_trace_open_trace(ret, data, n, true, cut, err);
}

int v1_check(const uint8_t *data, size_t n, struct v1_summary *ret, struct error *err)
{
	struct v1_trace *t;
	int r = v1_trace_open(&t, data, n, err);

	if (r)
		return r;
	*ret = (struct v1_summary){
		.version = t->format.version,
		.events = t->count,
		.goroutines = t->goroutines,
		.procs = t->procs,
		.stacks = t->stack_list.len,
		.strings = t->strings.len,
		.duration = t->end,
	};
	v1_trace_free(t);
	return 0;
}

void v1_iter_init_whole(struct v1_iter *it, const struct v1_trace *t, bool whole)
{
	*it = (struct v1_iter){ .t = t, .threads = xcalloc(1, sizeof(struct map64)),
				.sequence = v1_sequence_new(t, whole), .check = v1_check_new(t) };
}

void v1_iter_init(struct v1_iter *it, const struct v1_trace *t)
{
	v1_iter_init_whole(it, t, t->format.version >= 11);
}

static void follow_thread(struct v1_iter *it)
{
	const struct v1_event *ev = &it->ev;
	const uint64_t *thread;

	if (ev->type == V1_PROC_START && it->t->format.version != V1_GOTRACE)
		*map64_put(it->threads, (uint64_t)ev->p, NULL) = ev->args[0];
	thread = map64_get(it->threads, (uint64_t)ev->p);
	it->thread = thread ? *thread : V1_NO_THREAD;
	if (ev->type == V1_PROC_STOP)
		map64_del(it->threads, (uint64_t)ev->p);
}

const struct v1_event *v1_iter_next(struct v1_iter *it)
{
	int ret;

	do {
		ret = v1_sequence_next(it->sequence, &it->ev, &it->error);
		if (ret <= 0)
			return NULL;
		ret = v1_check_event(it->check, &it->ev, &it->error);
	} while (ret && it->t->resumed);
	if (ret)
		return NULL;
	follow_thread(it);
	return &it->ev;
}

void v1_iter_release(struct v1_iter *it)
{
	v1_sequence_free(it->sequence);
	v1_check_free(it->check);
	map64_free(it->threads);
	free(it->threads);
	it->threads = NULL;
}
