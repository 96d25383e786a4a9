// SPDX-License-Identifier: Apache-2.0
/* trace: see trace.h. Runs the stages and answers questions about the result. */
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

/* Do all events keep the rules? Of a damaged trace, those that do. */
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

/* Damage that can be read as records shows by events that do not fit together. */
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

int v1_trace_version(const struct v1_trace *t)
{
	return t->format.version;
}

void v1_trace_clock(const struct v1_trace *t, uint64_t *frequency, int64_t *first)
{
	*frequency = t->frequency;
	*first = t->first;
}

const struct map64 *v1_trace_timers(const struct v1_trace *t)
{
	return &t->timer_gs;
}

size_t v1_trace_count(const struct v1_trace *t)
{
	return t->count;
}

const char *v1_trace_string(const struct v1_trace *t, uint64_t id)
{
	const uint64_t *slot = map64_get(&t->strings, id);

	return slot ? (const char *)(uintptr_t)*slot : t->empty;
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

size_t v1_trace_depth(const struct v1_trace *t, uint64_t id)
{
	const uint64_t *slot = map64_get(&t->stacks, id);

	return slot ? vec_at(&t->stack_list, struct v1_stack, *slot)->n : 0;
}

bool v1_trace_start_pc(const struct v1_trace *t, uint64_t stack, uint64_t *pc)
{
	struct v1_frame frame;

	if (stack < V1_START_STACK || !v1_trace_stack(t, stack, &frame, 1))
		return false;
	*pc = frame.pc;
	return true;
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
