// SPDX-License-Identifier: Apache-2.0
/*
 * load: records come in, in file order; events with absolute ticks go out, as
 * one stream per P, with strings and stacks in tables. A batch belongs to one
 * P and gives the base of its deltas. The goroutine of an event is the one
 * that its P ran last, across batches.
 */
#include <errno.h>
#include <string.h>

#include "v1/internal.h"
#include "v1/record.h"

struct loader {
	struct v1_trace *t;
	struct v1_streams *s;
	struct v1_reader reader;
	struct map64 current_g;	/* P -> goroutine, for the Ps of other batches */
	struct map64 message_ids;	/* address of text -> index in messages */
	int32_t p;
	uint64_t g;
	int64_t ticks, seq;
	bool in_batch;
};

static struct v1_stream *stream_of(struct v1_streams *s, int32_t p)
{
	struct v1_stream *st;
	bool is_new;
	uint64_t *slot = map64_put(&s->by_p, (uint64_t)(int64_t)p, &is_new);

	if (!is_new)
		return vec_at(&s->list, struct v1_stream, *slot);
	*slot = s->list.len;
	st = vec_push(&s->list, sizeof(*st));
	st->p = p;
	return st;
}

void v1_streams_release(struct v1_streams *s)
{
	size_t i;

	for (i = 0; i < s->list.len; i++)
		vec_free(&vec_at(&s->list, struct v1_stream, i)->events);
	vec_free(&s->list);
	vec_free(&s->seqs);
	map64_free(&s->by_p);
}

/* The readers of texts take them up to the first NUL. */
static const char *intern(struct v1_trace *t, const struct v1_record *rec)
{
	return strset_add(t->texts, rec->data, strnlen(rec->data, rec->data_len));
}

static int add_string(struct loader *l, const struct v1_record *rec, struct error *err)
{
	bool is_new;
	uint64_t *slot = map64_put(&l->t->strings, rec->values[0], &is_new);

	if (!is_new)
		return error_set(err, -EBADMSG, "string at offset 0x%zx has duplicate id %llu",
				 rec->offset, (unsigned long long)rec->values[0]);
	*slot = (uintptr_t)intern(l->t, rec);
	return 0;
}

struct v1_stored_frame *v1_stack_add(struct v1_trace *t, uint64_t id, size_t n)
{
	struct v1_stack *st;
	size_t first = t->frames.len;

	if (id == 0 || n == 0)
		return NULL;
	*map64_put(&t->stacks, id, NULL) = t->stack_list.len;
	st = vec_push(&t->stack_list, sizeof(*st));
	*st = (struct v1_stack){ .first = first, .n = n };
	while (t->frames.len < first + n)
		vec_push(&t->frames, sizeof(struct v1_stored_frame));
	return vec_at(&t->frames, struct v1_stored_frame, first);
}

static void add_stack(struct loader *l, const struct v1_record *rec)
{
	unsigned int step = v1_frame_values(&l->reader.format);
	const uint64_t *v = rec->values + 2;
	size_t i, n = rec->values[1];
	struct v1_stored_frame *f = v1_stack_add(l->t, rec->values[0], n);

	for (i = 0; f && i < n; i++, v += step, f++) {
		f->pc = v[0];
		if (step == 1)
			continue;
		f->func = v[1];
		f->file = v[2];
		f->line = v[3];
	}
}

static int begin_batch(struct loader *l, const struct v1_record *rec, struct error *err)
{
	uint64_t p = rec->values[0];
	uint64_t *g;

	if (p != UINT64_MAX && p > INT32_MAX - 1)
		return error_set(err, -EBADMSG, "batch at offset 0x%zx: processor ID %llu is too "
				 "large", rec->offset, (unsigned long long)p);
	*map64_put(&l->current_g, (uint64_t)(int64_t)l->p, NULL) = l->g;
	l->p = (int32_t)p;
	g = map64_get(&l->current_g, (uint64_t)(int64_t)l->p);
	l->g = g ? *g : 0;
	l->seq = rec->nvalues > 2 ? (int64_t)rec->values[1] : 0;
	l->ticks = (int64_t)rec->values[rec->nvalues - 1];
	l->in_batch = true;
	return 0;
}

static int set_frequency(struct loader *l, const struct v1_record *rec, struct error *err)
{
	int64_t freq = (int64_t)rec->values[0];

	/* From 1.5 on: a sign of tick skew between CPUs rather than of a bad file. */
	if (freq <= 0 && l->t->format.version != V1_GOTRACE)
		return error_set(err, -EBADMSG, "time stamps out of order: frequency %lld at "
				 "offset 0x%zx", (long long)freq, rec->offset);
	if (freq <= 0)
		return error_set(err, -EBADMSG, "invalid frequency %lld at offset 0x%zx",
				 (long long)freq, rec->offset);
	l->t->frequency = freq;
	return 0;
}

/* Which goroutine an event belongs to, and who runs on the P after it. */
static void assign_goroutine(struct loader *l, struct v1_event *ev)
{
	ev->g = l->g;
	switch (ev->type) {
	case V1_GO_START:
	case V1_GO_START_LOCAL:
	case V1_GO_START_LABEL:
		ev->g = l->g = ev->args[0];
		break;
	case V1_GO_END ... V1_GO_BLOCK:
	case V1_GO_BLOCK_SEND ... V1_GO_BLOCK_NET:
	case V1_GO_BLOCK_GC:
	case V1_GO_SYSBLOCK:
		l->g = 0;
		break;
	case V1_GO_SYSEXIT:
	case V1_GO_SYSEXIT_LOCAL:
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		ev->g = ev->args[0];
		break;
	}
}

/*
 * A sample is written later, by another goroutine, into whatever batch is
 * open: it brings its own time, P and goroutine.
 */
static int place_sample(struct v1_event *ev, struct error *err)
{
	uint64_t p = ev->args[1];

	if (p != UINT64_MAX && p > INT32_MAX - 1)
		return error_set(err, -EBADMSG, "CPUSample at offset 0x%llx: processor ID %llu is "
				 "too large", (unsigned long long)ev->offset,
				 (unsigned long long)p);
	ev->time = (int64_t)ev->args[0];
	ev->p = (int32_t)p;
	ev->g = ev->args[2];
	ev->row = V1_ROW_PROFILE;
	return 0;
}

static uint32_t add_message(struct loader *l, const struct v1_record *rec)
{
	const char *s = intern(l->t, rec);
	bool is_new;
	uint64_t *slot = map64_put(&l->message_ids, (uintptr_t)s, &is_new);

	if (is_new) {
		*slot = l->t->messages.len;
		*(const char **)vec_push(&l->t->messages, sizeof(s)) = s;
	}
	return (uint32_t)*slot;
}

static void read_arguments(struct v1_event *ev, const struct v1_record *rec)
{
	const uint64_t *v = rec->values + rec->ndeltas;
	size_t i, n = rec->nvalues - rec->ndeltas - rec->spec->stack;

	for (i = 0; i < n; i++)
		ev->args[i] = v[i];
	if (rec->spec->stack)
		ev->stack = v[n];
}

static void advance_clock(struct loader *l, const struct v1_record *rec)
{
	if (rec->ndeltas == 2) {
		l->seq = (int64_t)((uint64_t)l->seq + rec->values[0]);
		*(int64_t *)vec_push(&l->s->seqs, sizeof(int64_t)) = l->seq;
	}
	l->ticks = (int64_t)((uint64_t)l->ticks + rec->values[rec->ndeltas - 1]);
}

static int add_event(struct loader *l, const struct v1_record *rec, struct error *err)
{
	struct v1_stream *st;
	struct v1_event *ev;
	uint32_t index = (uint32_t)l->t->events.len;
	int ret = 0;

	if (l->t->events.len >= V1_NO_LINK)
		return error_set(err, -EOVERFLOW, "the trace has too many events");
	advance_clock(l, rec);
	ev = vec_push(&l->t->events, sizeof(*ev));
	ev->offset = rec->offset;
	ev->time = l->ticks;
	ev->type = rec->type;
	ev->p = l->p;
	ev->link = V1_NO_LINK;
	read_arguments(ev, rec);
	assign_goroutine(l, ev);
	if (ev->type == V1_LOG)
		ev->text = add_message(l, rec);
	if (ev->type == V1_CPU_SAMPLE)
		ret = place_sample(ev, err);
	st = stream_of(l->s, ev->type == V1_CPU_SAMPLE ? V1_SAMPLE_STREAM : l->p);
	*(uint32_t *)vec_push(&st->events, sizeof(uint32_t)) = index;
	return ret;
}

/* Since Go 1.23 readers refuse records outside batches; up to 1.10 they are P 0's. */
static int check_batch(const struct loader *l, const struct v1_record *rec, struct error *err)
{
	if (l->in_batch || l->reader.format.version < 11 || rec->type == V1_STRING ||
	    rec->type == V1_BATCH)
		return 0;
	return error_set(err, -EBADMSG, "read event %u at offset 0x%zx with current P of 0, but P "
			 "has no batches yet", rec->type, rec->offset);
}

static int load_record(struct loader *l, const struct v1_record *rec, struct error *err)
{
	int ret = check_batch(l, rec, err);

	if (ret)
		return ret;
	switch (rec->type) {
	case V1_BATCH:
		return begin_batch(l, rec, err);
	case V1_FREQUENCY:
		return set_frequency(l, rec, err);
	case V1_TIMER_GOROUTINE:
		map64_put(&l->t->timer_gs, rec->values[0], NULL);
		return 0;
	case V1_STACK:
		add_stack(l, rec);
		return 0;
	case V1_STRING:
		return add_string(l, rec, err);
	default:
		return add_event(l, rec, err);
	}
}

static int load_records(struct loader *l, struct error *err)
{
	struct v1_record rec;
	int ret;

	while ((ret = v1_reader_next(&l->reader, &rec, err)) > 0) {
		ret = load_record(l, &rec, err);
		if (ret)
			return ret;
	}
	return ret;
}

/* The record at which it broke is not read: what is before it may count. */
static void note_cut(struct loader *l, const struct error *why)
{
	struct v1_cut *cut = l->t->cut;

	cut->is_cut = true;
	cut->why = *why;
	cut->lost_bytes = l->reader.cursor.len - l->reader.start;
	cut->no_frequency = !l->t->frequency;
	if (cut->no_frequency)
		l->t->frequency = 1000000000;
}

static int load_all(struct loader *l, struct error *err)
{
	int ret = load_records(l, err);

	if (!ret && !l->t->frequency)
		ret = error_set(err, -EBADMSG, "no Frequency event");
	if (ret && l->t->cut) {
		note_cut(l, err);
		ret = 0;
	}
	if (ret)
		return ret;
	if (!l->t->events.len)
		return error_set(err, -EBADMSG, "trace is empty");
	return 0;
}

int v1_load(struct v1_trace *t, struct v1_streams *s, const uint8_t *data, size_t n,
	    struct error *err)
{
	struct loader l = { .t = t, .s = s };
	int ret = v1_reader_init(&l.reader, data, n, err);

	if (!ret) {
		t->format = l.reader.format;
		ret = load_all(&l, err);
	}
	v1_reader_release(&l.reader);
	map64_free(&l.current_g);
	map64_free(&l.message_ids);
	return ret;
}
