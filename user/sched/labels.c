// SPDX-License-Identifier: Apache-2.0
/*
 * labels: profiler labels of goroutines (runtime/pprof). See handlers.h. A goroutine has the labels
 * that it sets, and before that those of its creator (runtime.newproc1). In the trace they are log
 * events of category "gotap.labels" (read/labels.h): at the time of a record, or where a goroutine
 * has some already when it begins, or the trace does, as soon as it runs.
 *
 * Before the trace begins the rule of snapshots holds: what a record says counts, else what the
 * snapshot has read.
 */
#include "sched/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/labels.h"
#include "sched/ensure.h"
#include "sched/steps.h"

enum {
	TEXT_MAX = REC_TEXT_MAX,	/* of a string in a trace */
	MORE_MAX = 4,			/* " ..." */
	/* of goroutines that create each other while the states are read */
	GENERATIONS = 16,
};

static const char CATEGORY[] = LABELS_CATEGORY;

static void set_labels(struct G *g, struct label_set *l)
{
	if (l)
		l->refs++;
	labels_release(g->labels);
	g->labels = l;
	g->creator = 0;
}

static bool labels_is_same(const struct label_set *a, const struct label_set *b)
{
	return a == b || (a && b && a->len == b->len && !memcmp(a->text, b->text, a->len));
}

/* --- from a record --- */

static int by_key(const void *a, const void *b)
{
	const struct rec_label *x = a, *y = b;
	int r = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);

	return r ? r : (int)x->key_len - y->key_len;
}

/* Damaged lengths are no longer than their room. */
static struct label_part labels_part(const char *text, size_t len, size_t room, bool cut)
{
	return (struct label_part){ text, len < room ? len : room, cut };
}

static void sched_put(struct buf *out, const struct rec_label *l)
{
	labels_put(out,
		   labels_part(l->key, l->key_len, REC_LABEL_KEY, l->flags & REC_LABEL_KEY_CUT),
		   labels_part(l->value, l->value_len, REC_LABEL_VALUE,
			       l->flags & REC_LABEL_VALUE_CUT));
}

/* Sorted by keys, as many as fit into a string of a trace. */
static void labels_put_all(struct buf *out, struct rec_label *all, size_t n, bool more)
{
	size_t i, end = 0;

	for (i = 0; i < n; i++) {
		if (all[i].key_len > REC_LABEL_KEY)
			all[i].key_len = REC_LABEL_KEY;
	}
	qsort(all, n, sizeof(*all), by_key);
	for (i = 0; i < n; i++) {
		sched_put(out, &all[i]);
		if (out->len > TEXT_MAX - MORE_MAX)
			break;
		end = out->len;
	}
	out->len = end;
	if (more || i < n)
		labels_put_more(out);
}

/* NULL: there are none. */
static struct label_set *from_record(const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;
	struct rec_label all[REC_LABELS_MOST];
	struct label_set *ret = NULL;
	struct buf text = {0};
	size_t i, n = 0;

	for (i = 0; i < REC_LABELS_MOST && (i + 1) * sizeof(*all) <= u->len[0]; i++) {
		memcpy(&all[n], u->text + i * sizeof(*all), sizeof(*all));
		n += all[n].flags != 0;
	}
	labels_put_all(&text, all, n, u->arg > n);
	if (text.len) {
		ret = xcalloc(1, sizeof(*ret) + text.len);
		ret->len = text.len;
		memcpy(ret->text, text.data, text.len);
	}
	buf_free(&text);
	return ret;
}

static void sched_take(struct model *s, struct G *g, struct label_set *l)
{
	s->has_labels |= l != NULL;
	if (s->started)
		g->tell_labels |= !labels_is_same(g->labels, l);
	else
		g->tell_labels = l;
	set_labels(g, l);
}

void user_labels(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g;

	if (!r->id)
		return;
	g = s->started ? g_get(s, r->id) : ensure_running(s, m, r->id);
	if (!g)
		return;
	sched_take(s, g, from_record(r));
	g->labels_from = LABELS_RECORD;
	labels_tell(s, m);
}

void snap_labels(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = g_get(s, r->id);

	if (!s->started && g && g->labels_from == LABELS_SNAPSHOT)
		sched_take(s, g, from_record(r));
}

/* --- from the creator --- */

static void sched_inherit(struct G *g, const struct G *creator)
{
	set_labels(g, creator->labels);
	g->tell_labels = g->labels;
	g->labels_from = LABELS_RECORD;
}

void labels_inherit(struct model *s, const struct M *m, struct G *g)
{
	const struct G *creator = m ? m->g : NULL;

	if (!creator || (s->started && !creator->labels))
		return;
	if (s->opts.is_system && s->opts.is_system(s->opts.ctx, g->start_pc)) {
		g->labels_from = LABELS_RECORD;
	} else if (creator->labels_from == LABELS_RECORD || s->started) {
		sched_inherit(g, creator);
	} else {
		g->creator = creator->id;
	}
}

/*
 * The goroutine was created while the states were read, by one of which no record had said the
 * labels: it has those that the creator had when it was read, unless that has set others in the
 * meantime, which is not known.
 */
static bool sched_settle(struct model *s, const struct map64 *gs, struct G *g)
{
	uint64_t *slot = g->creator ? map64_get(gs, g->creator) : NULL;
	const struct G *creator = slot ? (const struct G *)(uintptr_t)*slot : NULL;

	if (g->labels_from != LABELS_UNKNOWN || !creator || creator->labels_from == LABELS_UNKNOWN)
		return false;
	sched_inherit(g, creator);
	return true;
}

void labels_settle(struct model *s, const struct map64 *gs)
{
	bool changed = s->has_labels;
	int i;
	size_t at;

	for (i = 0; changed && i < GENERATIONS; i++) {
		changed = false;
		map64_each(gs, at)
			changed |= sched_settle(s, gs, map64_ptr(gs, at, struct G));
	}
}

/* --- to the trace --- */

void labels_tell(struct model *s, struct M *m)
{
	const struct label_set *l;

	if (!s->started || !m_speaks(m) || !m->g->tell_labels)
		return;
	m->g->tell_labels = false;
	l = m->g->labels;
	step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT(CATEGORY),
		  SINK_TEXT(l ? l->text : "", l ? l->len : 0), 0);
}

void labels_tell_all(struct model *s)
{
	size_t i;

	if (!s->has_labels)
		return;
	map64_each(&s->ms, i)
		labels_tell(s, map64_ptr(&s->ms, i, struct M));
}

void labels_restate(struct model *s)
{
	size_t i;

	if (!s->has_labels)
		return;
	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G);

		g->tell_labels |= g->labels != NULL;
	}
	labels_tell_all(s);
}

void labels_after_gap(struct model *s, struct G *g, struct G *now)
{
	if (labels_is_same(g->labels, now->labels))
		return;
	set_labels(g, now->labels);
	g->tell_labels = true;
}
