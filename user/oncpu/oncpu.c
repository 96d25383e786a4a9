// SPDX-License-Identifier: Apache-2.0
/* oncpu: see oncpu.h. */
#include "oncpu/oncpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "threads/file.h"

/*
 * A damaged trace may name any number of threads. Threads beyond this number get no lane, and their
 * time is unknown.
 */
enum { LANES_MAX = 1 << 20 };

/*
 * A thread, with those of its parts that a span of a goroutine may still ask for: a span that is
 * open, or a later one.
 */
struct lane {
	struct vec parts;	/* struct oncpu_part, from index @head on, in order of time */
	size_t head;
	/* times of the last span of a goroutine on the thread; until INT64_MAX: it is open */
	int64_t since, until;
	bool goroutine, records;	/* the thread ran a goroutine; the file has records of it */
	/* no more records will come; the lane is freed when no span can ask for it */
	bool ended;
};

struct oncpu {
	struct spans *spans;
	struct threads_reader *file;
	struct capture_info info;
	struct map64 lanes;	/* struct lane *, by thread */
	size_t kept;		/* number of parts in all lanes */
	size_t sweep_at;	/* number of lanes at which lanes of ended threads are freed */
	uint64_t dropped;
	struct vec answer;	/* struct oncpu_part: the result of oncpu_parts() */
	/* the arguments of that result: several visitors ask with the same ones */
	uint64_t asked_m;
	int64_t asked_from, asked_to;
	struct spool_times times;	/* of the file */
	bool over;		/* the trace has ended: no more questions will come */
	bool begun;		/* the trace has begun, and @foreign is set */
	bool foreign;		/* the file is of another recording */
	/* threads that ran a goroutine; number of them that have records */
	uint64_t with_goroutine, with_records;
	bool failed;
	struct error err;	/* the first error of the file */
};

/* --- lanes --- */

static struct lane *oncpu_find(const struct oncpu *o, uint64_t m)
{
	uint64_t *slot = map64_get(&o->lanes, m);

	return slot ? (struct lane *)(uintptr_t)*slot : NULL;
}

/* The lane of thread @m, made if needed. NULL: there are LANES_MAX. */
static struct lane *oncpu_get(struct oncpu *o, uint64_t m)
{
	struct lane *l = oncpu_find(o, m);

	if (!l && o->lanes.len < LANES_MAX) {
		l = xcalloc(1, sizeof(*l));
		*map64_put(&o->lanes, m, NULL) = (uintptr_t)l;
	}
	return l;
}

static void free_lane(struct oncpu *o, struct lane *l)
{
	vec_free(&l->parts);
	free(l);
}

static struct oncpu_part *part_at(const struct lane *l, size_t i)
{
	return vec_at(&l->parts, struct oncpu_part, i);
}

/*
 * Moves the parts to the begin of their memory once at least half of it is unused: so each part
 * moves once on average.
 */
static void oncpu_compact(struct lane *l)
{
	size_t left = l->parts.len - l->head;

	if (l->head < 64 || l->head < left)
		return;
	memmove(l->parts.data, part_at(l, l->head), left * sizeof(struct oncpu_part));
	l->parts.len = left;
	l->head = 0;
}

/* Drops the parts that ended before @before. */
static void oncpu_forget(struct oncpu *o, struct lane *l, int64_t before)
{
	while (l->head < l->parts.len && part_at(l, l->head)->to <= before) {
		l->head++;
		o->kept--;
	}
	oncpu_compact(l);
}

/* Drops the parts that no span can ask for any more. */
static void forget_old(struct oncpu *o, struct lane *l)
{
	/* how long parts are kept of a thread without a goroutine, for oncpu_idle_parts() */
	enum { KEEP_NS = 20000000 };
	int64_t now = spans_last(o->spans);

	oncpu_forget(o, l,
		     l->until >= now           ? l->since :
		     now > INT64_MIN + KEEP_NS ? now - KEEP_NS :
						 now);
}

static void each_lane(struct oncpu *o, void (*fn)(struct oncpu *o, struct lane *l))
{
	size_t i;

	for (i = 0; i < o->lanes.made; i++)
		if (o->lanes.slots[i].used)
			fn(o, (struct lane *)(uintptr_t)o->lanes.slots[i].value);
}

static void drop_all(struct oncpu *o, struct lane *l)
{
	o->dropped += l->parts.len - l->head;
	oncpu_forget(o, l, INT64_MAX);
}

/*
 * Makes space for a part. Drops old parts of all lanes. If this frees less than half, drops all
 * parts, so that the next walk over all lanes comes much later.
 */
static void oncpu_make_room(struct oncpu *o)
{
	if (o->kept < ONCPU_PARTS_MAX)
		return;
	each_lane(o, forget_old);
	if (o->kept >= ONCPU_PARTS_MAX / 2)
		each_lane(o, drop_all);
}

static void oncpu_sweep(struct oncpu *o)
{
	enum { LEAST = 1024 };
	size_t i;

	for (i = 0; i < o->lanes.made; i++) {
		struct lane *l = o->lanes.slots[i].used ?
					 (struct lane *)(uintptr_t)o->lanes.slots[i].value :
					 NULL;

		if (!l || !l->ended || l->until == INT64_MAX)
			continue;
		forget_old(o, l);
		if (l->head < l->parts.len)
			continue;
		free_lane(o, l);
		map64_del(&o->lanes, o->lanes.slots[i].key);
	}
	o->sweep_at = o->lanes.len < LEAST / 2 ? LEAST : 2 * o->lanes.len;
}

/* --- visitors --- */

static void oncpu_note(struct oncpu *o, struct lane *l, bool goroutine, bool records)
{
	o->with_goroutine += goroutine && !l->goroutine;
	o->with_records += goroutine && records && !(l->goroutine && l->records);
	l->goroutine = goroutine;
	l->records = records;
}

static struct oncpu_part oncpu_part_of(const struct thread_span *s)
{
	return (struct oncpu_part){ .from = (int64_t)s->from,
				    .to = (int64_t)s->to,
				    .state = (uint8_t)s->state,
				    .queued = (uint8_t)s->queued,
				    .cpu = s->cpu,
				    .syscall = s->syscall,
				    .by = s->by };
}

static void oncpu_on_thread_span(void *ctx, const struct thread_span *span)
{
	struct oncpu *o = ctx;
	struct lane *l = oncpu_get(o, span->thread->tid);

	o->dropped += !l && !o->over;
	if (!l)
		return;
	oncpu_note(o, l, l->goroutine, true);
	if (o->over)
		return;
	l->ended = false;
	forget_old(o, l);
	oncpu_make_room(o);
	*(struct oncpu_part *)vec_push(&l->parts, sizeof(struct oncpu_part)) = oncpu_part_of(span);
	o->kept++;
}

static void oncpu_on_thread_end(void *ctx, const struct thread *t, uint64_t time, bool ended)
{
	struct oncpu *o = ctx;
	struct lane *l = oncpu_find(o, t->tid);

	if (l)
		l->ended = true;
	if (o->lanes.len >= o->sweep_at)
		oncpu_sweep(o);
}

static bool is_on_thread(const struct span *s)
{
	return (s->state == GO_RUNNING || s->state == GO_SYSCALL) && s->m != TRACEV2_NO_ID;
}

static void oncpu_on_begin(void *ctx, int64_t time)
{
	oncpu_begins(ctx, time);
}

static void oncpu_on_span_begin(void *ctx, const struct span *span)
{
	struct oncpu *o = ctx;
	struct lane *l = is_on_thread(span) ? oncpu_get(o, span->m) : NULL;

	if (!l)
		return;
	l->since = span->from;
	l->until = INT64_MAX;
	/*
	 * No thread has id 0. The model puts a goroutine on thread 0 that stands for unknown ones
	 * (sched/procs.c).
	 */
	if (span->m)
		oncpu_note(o, l, true, l->records);
	oncpu_forget(o, l, l->since);
}

static void oncpu_on_span(void *ctx, const struct span *span)
{
	struct lane *l = is_on_thread(span) ? oncpu_find(ctx, span->m) : NULL;

	if (l && l->since == span->from)
		l->until = span->to;
}

int oncpu_open(struct oncpu **ret, struct spans *s, const char *path, struct error *err)
{
	struct oncpu *o = xcalloc(1, sizeof(*o));
	int r = threads_reader_open(&o->file, path, &o->info, err);

	if (r) {
		free(o);
		return r;
	}
	o->spans = s;
	threads_reader_times(o->file, &o->times);
	spans_visit(s, &(struct spans_visitor){ .ctx = o,
						.trace_begin = oncpu_on_begin,
						.span_begin = oncpu_on_span_begin,
						.span = oncpu_on_span });
	threads_visit(oncpu_threads(o),
		      &(struct threads_visitor){ .ctx = o,
						 .span = oncpu_on_thread_span,
						 .thread_end = oncpu_on_thread_end });
	*ret = o;
	return 0;
}

/* --- answers --- */

const struct capture_info *oncpu_info(const struct oncpu *o)
{
	return &o->info;
}

struct threads *oncpu_threads(struct oncpu *o)
{
	return threads_reader_threads(o->file);
}

/* Reads some more records of the file. False: the file has ended, or an error occurred (o->err). */
static bool read_more(struct oncpu *o)
{
	int r = o->foreign ? 0 : threads_reader_next(o->file, &o->err);

	o->failed |= r < 0;
	return r > 0;
}

static void read_until(struct oncpu *o, uint64_t time)
{
	while (threads_reader_time(o->file) < time && read_more(o))
		;
}

/*
 * Appends @part to the answer, cut to [*@at, @to). A hole before the part becomes an unknown part.
 */
static void oncpu_answer(struct oncpu *o, int64_t *at, int64_t to, const struct oncpu_part *part)
{
	struct oncpu_part *a;

	if (part->from > *at && *at < to) {
		a = vec_push(&o->answer, sizeof(*a));
		*a = (struct oncpu_part){ .from = *at,
					  .to = part->from < to ? part->from : to,
					  .syscall = -1 };
		*at = a->to;
	}
	if (part->to <= *at || *at >= to)
		return;
	a = vec_push(&o->answer, sizeof(*a));
	*a = *part;
	a->from = *at;
	a->to = part->to < to ? part->to : to;
	*at = a->to;
}

/* The index of the first part that ends after @from. */
static size_t first_behind(const struct lane *l, int64_t from)
{
	size_t low = l->head, high = l->parts.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (part_at(l, middle)->to <= from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void answer_known(struct oncpu *o, uint64_t m, int64_t *at, int64_t to)
{
	const struct lane *l = oncpu_find(o, m);
	struct thread_span now;
	struct oncpu_part part;
	size_t i;

	for (i = l ? first_behind(l, *at) : 0; l && i < l->parts.len && *at < to; i++)
		oncpu_answer(o, at, to, part_at(l, i));
	if (*at >= to || m > UINT32_MAX || !threads_now(oncpu_threads(o), (uint32_t)m, &now))
		return;
	part = oncpu_part_of(&now);
	part.to = to;
	oncpu_answer(o, at, to, &part);
}

const struct oncpu_part *oncpu_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
				     size_t *n)
{
	int64_t at = from;

	if (!o->answer.len || m != o->asked_m || from != o->asked_from || to != o->asked_to) {
		o->answer.len = 0;
		if (to > 0)
			read_until(o, (uint64_t)to);
		answer_known(o, m, &at, to);
		oncpu_answer(o, &at, to, &(struct oncpu_part){ .from = to, .to = to });
		o->asked_m = m;
		o->asked_from = from;
		o->asked_to = to;
	}
	*n = o->answer.len;
	return (const struct oncpu_part *)o->answer.data;
}

const struct oncpu_part *oncpu_idle_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
					  size_t *n)
{
	const struct lane *l = oncpu_find(o, m);

	if (l && l->until != INT64_MAX && l->until > from)
		from = l->until < to ? l->until : to;
	return oncpu_parts(o, m, from, to, n);
}

int oncpu_finish(struct oncpu *o, struct error *err)
{
	o->over = true;
	read_until(o, UINT64_MAX);
	if (!o->failed)
		return 0;
	*err = o->err;
	return err->code;
}

static uint64_t oncpu_instant(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

/*
 * True if file and trace are of the same boot: the time of day at time 0 of the clock differs
 * between boots. The time of day may also be set during a recording, so the range of its values
 * counts. True for a trace of a release before Go 1.25, which has no time of day.
 */
static bool is_same_clock(const struct oncpu *o)
{
	enum { SLACK_NS = 1000000000 };
	const struct spool_times *t = &o->times;
	int64_t wall;

	if (!t->has_clock || !spans_wall(o->spans, &wall))
		return true;
	return (wall >= t->wall_min || (uint64_t)t->wall_min - (uint64_t)wall <= SLACK_NS) &&
	       (wall <= t->wall_max || (uint64_t)wall - (uint64_t)t->wall_max <= SLACK_NS);
}

/*
 * In one recording the records of threads begin before the trace and end after the begin of the
 * trace. The slack is for the rounding of times in traces. The end of an incomplete file does not
 * count.
 */
bool oncpu_begins(struct oncpu *o, int64_t first)
{
	enum { SLACK_NS = 100000000 };
	const struct spool_times *t = &o->times;

	if (o->begun)
		return !o->foreign;
	o->begun = true;
	o->foreign =
		(t->begin > oncpu_instant(first) && t->begin - oncpu_instant(first) > SLACK_NS) ||
		(!t->cut && t->end < oncpu_instant(first)) || !is_same_clock(o);
	return !o->foreign;
}

bool oncpu_matches(const struct oncpu *o)
{
	const struct threads *t = threads_reader_threads(o->file);

	if (o->foreign)
		return false;
	/*
	 * If records are missing, threads without records do not show that the file is of another
	 * recording.
	 */
	return o->failed || threads_lost(t) ||
	       (threads_any(t) && 2 * o->with_records >= o->with_goroutine);
}

uint64_t oncpu_dropped(const struct oncpu *o)
{
	return o->dropped;
}

void oncpu_free(struct oncpu *o)
{
	if (!o)
		return;
	each_lane(o, free_lane);
	map64_free(&o->lanes);
	vec_free(&o->answer);
	threads_reader_close(o->file);
	free(o);
}
