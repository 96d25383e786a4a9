// SPDX-License-Identifier: Apache-2.0
/* trace: see trace.h. Runs the stages and answers questions about the result. */
#include "v1/trace.h"

#include <stdlib.h>

#include "symbol/symbol.h"
#include "v1/internal.h"
#include "v1/symbolize.h"

void v1_trace_free(struct v1_trace *t)
{
	if (!t)
		return;
	vec_free(&t->events);
	strset_free(t->texts);
	map64_free(&t->strings);
	vec_free(&t->messages);
	map64_free(&t->stacks);
	vec_free(&t->stack_list);
	vec_free(&t->frames);
	map64_free(&t->timer_gs);
	symbolizer_free(t->symbolizer);
	free(t);
}

static int run_stages(struct v1_trace *t, const uint8_t *data, size_t n, struct error *err)
{
	struct v1_streams streams = {0};
	int ret = v1_load(t, &streams, data, n, err);

	if (!ret)
		ret = v1_order(t, &streams, err);
	v1_streams_release(&streams);
	if (!ret)
		ret = v1_clock(t, err);
	if (!ret)
		v1_start_stacks(t);
	if (!ret)
		ret = v1_check_events(t, err);
	return ret;
}

int v1_trace_open(struct v1_trace **ret, const uint8_t *data, size_t n, struct error *err)
{
	return v1_trace_open_cut(ret, data, n, NULL, err);
}

int v1_trace_open_cut(struct v1_trace **ret, const uint8_t *data, size_t n, struct v1_cut *cut,
		      struct error *err)
{
	struct v1_trace *t = xcalloc(1, sizeof(*t));
	int r;

	t->cut = cut;
	if (cut)
		*cut = (struct v1_cut){0};
	t->texts = strset_new();
	r = run_stages(t, data, n, err);
	if (r) {
		v1_trace_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

int v1_trace_version(const struct v1_trace *t)
{
	return t->format.version;
}

size_t v1_trace_count(const struct v1_trace *t)
{
	return t->events.len;
}

const struct v1_event *v1_trace_event(const struct v1_trace *t, size_t i)
{
	return v1_ev(t, i);
}

const char *v1_trace_string(const struct v1_trace *t, uint64_t id)
{
	const uint64_t *slot = map64_get(&t->strings, id);

	return slot ? (const char *)(uintptr_t)*slot : "";
}

const char *v1_trace_text(const struct v1_trace *t, const struct v1_event *ev)
{
	return ev->type == V1_LOG ? *vec_at(&t->messages, const char *, ev->text) : "";
}

const char *v1_trace_type_name(const struct v1_trace *t, unsigned int type)
{
	return t->format.spec[type] ? t->format.spec[type]->name : "?";
}

static void fill_frame(const struct v1_trace *t, const struct v1_stored_frame *f,
		       struct v1_frame *out)
{
	*out = (struct v1_frame){ .pc = f->pc, .func = "", .file = "", .line = f->line };
	if (v1_pc_only(t->format.version)) {
		if (t->symbolized) {
			out->func = (const char *)(uintptr_t)f->func;
			out->file = (const char *)(uintptr_t)f->file;
		}
		return;
	}
	out->func = v1_trace_string(t, f->func);
	out->file = v1_trace_string(t, f->file);
}

size_t v1_trace_stack(const struct v1_trace *t, uint64_t id, struct v1_frame *out, size_t max)
{
	const uint64_t *slot = map64_get(&t->stacks, id);
	const struct v1_stack *st;
	size_t i, n;

	if (!slot)
		return 0;
	st = vec_at(&t->stack_list, struct v1_stack, *slot);
	n = st->n < max ? st->n : max;
	for (i = 0; i < n; i++)
		fill_frame(t, vec_at(&t->frames, struct v1_stored_frame, st->first + i), &out[i]);
	return n;
}

int v1_check(const uint8_t *data, size_t n, struct v1_summary *ret, struct error *err)
{
	struct v1_trace *t;
	int r = v1_trace_open(&t, data, n, err);

	if (r)
		return r;
	*ret = (struct v1_summary){
		.version = t->format.version,
		.events = t->events.len,
		.goroutines = t->goroutines,
		.procs = t->procs,
		.stacks = t->stack_list.len,
		.strings = t->strings.len,
		.duration = v1_ev(t, t->events.len - 1)->time,
	};
	v1_trace_free(t);
	return 0;
}

void v1_iter_init(struct v1_iter *it, const struct v1_trace *t)
{
	*it = (struct v1_iter){ .t = t, .threads = xcalloc(1, sizeof(struct map64)) };
}

const struct v1_event *v1_iter_next(struct v1_iter *it)
{
	const struct v1_event *ev;
	const uint64_t *thread;

	if (it->next == it->t->events.len)
		return NULL;
	ev = v1_ev(it->t, it->next++);
	if (ev->type == V1_PROC_START && it->t->format.version != V1_GOTRACE)
		*map64_put(it->threads, (uint64_t)(int64_t)ev->p, NULL) = ev->args[0];
	thread = map64_get(it->threads, (uint64_t)(int64_t)ev->p);
	it->thread = thread ? *thread : V1_NO_THREAD;
	if (ev->type == V1_PROC_STOP)
		map64_del(it->threads, (uint64_t)(int64_t)ev->p);
	return ev;
}

void v1_iter_release(struct v1_iter *it)
{
	map64_free(it->threads);
	free(it->threads);
	it->threads = NULL;
}
