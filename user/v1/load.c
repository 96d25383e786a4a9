// SPDX-License-Identifier: Apache-2.0
/*
 * load: reads the records in the order of the file. Notes where the pieces of each P begin, and
 * makes the tables of strings and stacks. A batch belongs to one P and has the base of its deltas.
 * The goroutine of an event is the one that ran last on its P, across batches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "v1/internal.h"
#include "v1/record.h"
#include "v1/resync.h"

enum {
	SLACK = 1 << 24,	/* in ticks: at least half a second */
	/* bytes that may be read to find a batch, for each byte of the file */
	SEARCH = 64,
};

struct loader {
	struct v1_trace *t;
	struct v1_reader reader;
	struct map64 current_g;	/* P -> goroutine, for the Ps of earlier batches */
	int64_t p;
	uint64_t g;
	int64_t ticks, seq;
	int64_t key;		/* key of the last event of the open piece, before 1.7 */
	/* index + 1 of the piece that takes the next event; 0: the event begins one */
	uint32_t piece;
	bool in_batch;
	bool lost;		/* after damage */
	struct v1_resync seen;
	/* ticks: latest event of all complete batches; latest of this batch */
	int64_t latest, batch_latest;
};

static struct v1_stream *v1_load_stream_of(struct v1_trace *t, int64_t p)
{
	struct v1_stream *st;
	bool is_new;
	uint64_t *slot = map64_put(&t->stream_of, (uint64_t)p, &is_new);

	if (!is_new)
		return vec_at(&t->streams, struct v1_stream, *slot);
	*slot = t->streams.len;
	st = vec_push(&t->streams, sizeof(*st));
	st->p = p;
	return st;
}

/* Begins a piece with the record at @offset. */
static uint32_t begin_piece(struct loader *l, size_t offset)
{
	struct v1_piece *piece = vec_push(&l->t->pieces, sizeof(*piece));
	uint32_t number = (uint32_t)l->t->pieces.len;
	struct v1_stream *st;

	*piece = (struct v1_piece){ .offset = offset, .ticks = l->ticks, .seq = l->seq,
				    .g = l->g, .p = l->p };
	if (l->t->format.version < 7)
		return number;
	st = v1_load_stream_of(l->t, l->p);
	if (st->last)
		vec_at(&l->t->pieces, struct v1_piece, st->last - 1)->next = number;
	else
		st->first = number;
	return st->last = number;
}

static const char *v1_load_intern(struct v1_trace *t, const struct v1_record *rec)
{
	return strset_add_bytes(t->texts, rec->data, rec->data_len);
}

static int v1_load_add_string(struct loader *l, const struct v1_record *rec, struct error *err)
{
	bool is_new;
	uint64_t *slot = map64_put(&l->t->strings, rec->values[0], &is_new);

	if (!is_new)
		return error_set(err, -EBADMSG, "string at offset 0x%zx has duplicate id %llu",
				 rec->offset, (unsigned long long)rec->values[0]);
	*slot = (uintptr_t)v1_load_intern(l->t, rec);
	return 0;
}

/* Adds a stack with @n uninitialized frames; NULL if @id or @n is 0. */
static struct v1_stored_frame *v1_stack_add(struct v1_trace *t, uint64_t id, size_t n)
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

static void v1_load_add_stack(struct loader *l, const struct v1_record *rec)
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

static void keep_latest(struct loader *l)
{
	if (l->batch_latest > l->latest)
		l->latest = l->batch_latest;
}

/*
 * The greatest number of a P. Readers since Go 1.23 refuse greater ones; earlier readers, the only
 * ones of the older formats, accept any int.
 */
static uint64_t max_p(const struct loader *l)
{
	return l->t->format.version < 11 ? UINT64_MAX : INT32_MAX;
}

static int begin_batch(struct loader *l, const struct v1_record *rec, struct error *err)
{
	uint64_t p = rec->values[0];
	uint64_t *g;

	if (p != UINT64_MAX && p > max_p(l))
		return error_set(err, -EBADMSG,
				 "batch at offset 0x%zx: processor ID %llu is larger "
				 "than maximum of %llu",
				 rec->offset, (unsigned long long)p, (unsigned long long)max_p(l));
	*map64_put(&l->current_g, (uint64_t)l->p, NULL) = l->g;
	l->piece = 0;
	l->p = (int64_t)p;
	g = map64_get(&l->current_g, p);
	l->g = g ? *g : l->lost ? V1_UNKNOWN_G : 0;
	l->seq = rec->nvalues > 2 ? (int64_t)rec->values[1] : 0;
	l->ticks = (int64_t)rec->values[rec->nvalues - 1];
	l->in_batch = true;
	if (p != UINT64_MAX && p > l->seen.max_p)
		l->seen.max_p = p;
	if (!l->seen.first)
		l->seen.first = l->ticks;
	keep_latest(l);
	l->batch_latest = l->ticks;
	return 0;
}

static int set_frequency(struct loader *l, const struct v1_record *rec, struct error *err)
{
	int64_t freq = (int64_t)rec->values[0];

	/* From 1.5 on: the time stamp counters of CPUs differ; the file is not damaged. */
	if (freq <= 0 && l->t->format.version != V1_GOTRACE)
		return error_set(err, -EBADMSG, "time stamps out of order: frequency %lld at "
				 "offset 0x%zx", (long long)freq, rec->offset);
	if (freq <= 0)
		return error_set(err, -EBADMSG, "invalid frequency %lld at offset 0x%zx",
				 (long long)freq, rec->offset);
	l->t->frequency = freq;
	return 0;
}

/*
 * Adds a CPU sample. Another goroutine writes samples later, into the batch that is open then: a
 * sample has its own time, P and goroutine.
 */
static void add_sample(struct loader *l, const struct v1_record *rec)
{
	struct v1_sample *s;

	v1_load_stream_of(l->t, V1_SAMPLE_STREAM);
	s = vec_push(&l->t->samples, sizeof(*s));
	*s = (struct v1_sample){ (int64_t)rec->values[rec->ndeltas], rec->offset };
}

/*
 * Adds a GoSysExit of 1.5 as a piece of its own. It is written when the thread has a P again, with
 * the sequence number and the time of the exit, so it is not in order with the records around it.
 */
static void v1_load_add_exit(struct loader *l, const struct v1_record *rec)
{
	uint32_t number = begin_piece(l, rec->offset);
	struct v1_piece *piece = vec_at(&l->t->pieces, struct v1_piece, number - 1);

	piece->n = 1;
	piece->exit = true;
}

/* Adds the event to the open piece if it is in order there; otherwise it begins another piece. */
static void extend_piece(struct loader *l, const struct v1_record *rec, int64_t ticks, int64_t seq)
{
	int64_t key = l->t->format.version == 5 ? seq : ticks;

	if (!l->piece || (l->t->format.version < 7 && key < l->key))
		l->piece = begin_piece(l, rec->offset);
	l->key = key;
	vec_at(&l->t->pieces, struct v1_piece, l->piece - 1)->n++;
}

/* Adds a stack with the start PC as its only frame. */
static void add_start(struct v1_trace *t, uint64_t pc)
{
	uint64_t *id;
	bool is_new;

	if (!pc)
		return;
	id = map64_put(&t->starts, pc, &is_new);
	if (!is_new)
		return;
	*id = V1_START_STACK + t->starts.len;
	v1_stack_add(t, *id, 1)->pc = pc;
}

/* Sets the goroutine that runs on the P after the record. */
static void follow_goroutine(struct loader *l, const struct v1_record *rec)
{
	struct v1_event ev = { .type = (uint8_t)rec->type };

	if (rec->nvalues > rec->ndeltas)
		ev.args[0] = rec->values[rec->ndeltas];
	v1_assign_goroutine(&l->g, &ev);
	if (rec->type == V1_GO_CREATE && v1_pc_only(l->t->format.version))
		add_start(l->t, rec->values[rec->ndeltas + 1]);
}

static int add_event(struct loader *l, const struct v1_record *rec, struct error *err)
{
	int64_t ticks = (int64_t)((uint64_t)l->ticks + rec->values[rec->ndeltas - 1]);
	int64_t seq = (int64_t)((uint64_t)l->seq + (rec->ndeltas == 2 ? rec->values[0] : 0));

	if (l->t->events == UINT32_MAX - 1)
		return error_set(err, -EOVERFLOW, "the trace has too many events");
	if (rec->type == V1_CPU_SAMPLE)
		add_sample(l, rec);
	else if (rec->type == V1_GO_SYSEXIT && l->t->format.version == 5)
		v1_load_add_exit(l, rec);
	else
		extend_piece(l, rec, ticks, seq);
	l->t->events++;
	l->t->has_futile |= rec->type == V1_FUTILE_WAKEUP;
	l->ticks = ticks;
	if (ticks > l->batch_latest)
		l->batch_latest = ticks;
	l->seq = seq;
	follow_goroutine(l, rec);
	return 0;
}

/*
 * Checks that the record is in a batch. Readers of Go 1.23 and later refuse records outside of
 * batches; up to 1.10 such records belong to P 0. The Batch before a table may be lost in damage.
 */
static int check_batch(const struct loader *l, const struct v1_record *rec, struct error *err)
{
	if (l->in_batch || rec->type == V1_STRING || rec->type == V1_BATCH)
		return 0;
	if (l->lost ? v1_is_table(rec->type) : l->reader.format.version < 11)
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
		v1_load_add_stack(l, rec);
		return 0;
	case V1_STRING:
		return v1_load_add_string(l, rec, err);
	default:
		return add_event(l, rec, err);
	}
}

/*
 * Continues with the next batch after damage. The goroutines that run on the Ps are not known
 * there. The P of events between the damage and the batch is not known either: a reader that
 * assigned them to the previous batch would show false events.
 */
static bool v1_load_go_on(struct loader *l, const struct error *why)
{
	struct v1_trace *t = l->t;
	size_t at = t->cut ? v1_resync_find(&l->reader, l->reader.start + 1, &l->seen) : 0;

	if (!at)
		return false;
	if (!t->cut->places++)
		t->cut->why = *why;
	t->cut->lost_bytes += at - l->reader.start;
	t->cut->is_cut = t->cut->resumed = t->resumed = true;
	l->reader.cursor.off = at;
	if (l->piece)
		vec_at(&t->pieces, struct v1_piece, l->piece - 1)->damaged = true;
	map64_free(&l->current_g);
	l->g = V1_UNKNOWN_G;
	l->batch_latest = 0;
	l->lost = true;
	l->piece = 0;
	l->in_batch = false;
	return true;
}

static int load_records(struct loader *l, struct error *err)
{
	struct v1_record rec;
	int ret;

	do {
		while ((ret = v1_reader_next(&l->reader, &rec, err)) > 0) {
			ret = load_record(l, &rec, err);
			if (ret)
				break;
		}
	} while (ret && v1_load_go_on(l, err));
	return ret;
}

/* A time later than that of any event of a batch that begins at @ticks. */
static int64_t v1_load_later(const struct loader *l, int64_t ticks)
{
	int64_t latest = l->latest > ticks ? l->latest : ticks, span, limit;

	if (__builtin_sub_overflow(latest, l->seen.first, &span) ||
	    __builtin_add_overflow(latest, span / 2 + SLACK, &limit))
		return INT64_MAX;
	return limit;
}

/* Limits the times of the last records before damage: they may be damaged, too. */
static void limit_damaged(struct loader *l)
{
	struct v1_piece *pieces = l->t->pieces.data;
	size_t i;

	keep_latest(l);
	for (i = 0; i < l->t->pieces.len; i++)
		if (pieces[i].damaged)
			pieces[i].limit = pieces[i].next ? pieces[pieces[i].next - 1].ticks :
					  v1_load_later(l, pieces[i].ticks);
}

/* Sorts samples by time: the file has them in the order in which signal handlers got a lock. */
static int compare_samples(const void *pa, const void *pb)
{
	const struct v1_sample *a = pa, *b = pb;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return a->offset < b->offset ? -1 : 1;
}

/* Notes the damage. The record at the damage is not read; the records before it count. */
static void note_cut(struct loader *l, const struct error *why)
{
	struct v1_cut *cut = l->t->cut;

	l->t->is_cut = cut->is_cut = true;
	if (!cut->places++)
		cut->why = *why;
	cut->lost_bytes += l->reader.cursor.len - l->reader.start;
	l->t->size = l->reader.start;
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
	if (!l->t->events)
		return error_set(err, -EBADMSG, "trace is empty");
	limit_damaged(l);
	vec_sort(&l->t->samples, sizeof(struct v1_sample), compare_samples);
	return 0;
}

int v1_load(struct v1_trace *t, struct error *err)
{
	struct loader l = { .t = t, .seen.budget = SEARCH * (uint64_t)t->size };
	int ret = v1_reader_init(&l.reader, t->data, t->size, err);

	if (!ret) {
		t->format = l.reader.format;
		ret = load_all(&l, err);
	}
	v1_reader_release(&l.reader);
	map64_free(&l.current_g);
	return ret;
}
