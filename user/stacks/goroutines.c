// SPDX-License-Identifier: Apache-2.0
/*
 * goroutines: see goroutines.h. The program may be broken or hostile: no list is longer than the
 * memory of the program allows, all stacks together have no more frames than fit into that memory,
 * and every loop ends when a stop is requested.
 */
#include "stacks/goroutines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "live/fields.h"
#include "live/labels.h"
#include "live/memory.h"
#include "live/pointers.h"
#include "live/thread_ids.h"
#include "read/labels.h"
#include "release/release.h"
#include "stacks/threads.h"
#include "stacks/watch.h"

enum {
	BATCH = 256,		/* goroutines that are read together */
	/* bytes of each stack that are read first; most stacks need no more */
	PIECE = 2048,
	ATTEMPTS = 10,		/* at reading a goroutine that moves */
};

/* --- reading --- */

/* The labels of a batch. Its goroutines had them at both looks, so that one address is one set. */
struct label_cache {
	struct map64 known;		/* address -> index in texts */
	struct vec texts;		/* const char *, NULL: unreadable */
	struct live_labels *room;
	struct buf text;
};

struct reader {
	const struct goroutines_opts *opts;
	struct goroutines *out;
	struct label_cache labels;
	uint64_t now;			/* the program's nanotime() */
	/* bytes that all label texts may take: no more than the program's memory */
	uint64_t labels_room;
	struct thread_ids tids;
	uint8_t *bytes;			/* BATCH gs */
	uint8_t *pieces;		/* of BATCH stacks */
	struct g_facts before[BATCH], after[BATCH];
	struct goroutine found[BATCH];
};

static uint32_t tid_of(struct reader *r, const struct g_facts *f)
{
	uint64_t procid;

	if ((f->status != G_RUNNING && f->status != G_SYSCALL) || !f->m ||
	    !memory_read(r->opts->proc, f->m + r->opts->plan->offsets.m_procid, &procid,
			 sizeof(procid)))
		return 0;
	return thread_ids_of(&r->tids, procid);
}

static const char *labels_text(struct reader *r, uint64_t address)
{
	struct label_cache *c = &r->labels;
	const struct live_labels *set = c->room;
	size_t i;

	if (strset_size(r->out->labels) > r->labels_room ||
	    !labels_read(r->opts->proc, r->opts->plan->minor, address, c->room))
		return NULL;
	c->text.len = 0;
	for (i = 0; i < set->n; i++) {
		const struct label_bytes *key = &set->all[i].key, *value = &set->all[i].value;

		labels_put(&c->text, (struct label_part){ key->text, key->len, key->cut },
			   (struct label_part){ value->text, value->len, value->cut });
	}
	if (set->more)
		labels_put_more(&c->text);
	return strset_add(r->out->labels, c->text.len ? (char *)c->text.data : "", c->text.len);
}

static void gs_take_labels(struct reader *r, uint64_t address, struct goroutine *g)
{
	bool is_new;
	uint64_t *known;
	const char *text;

	if (!address)
		return;
	known = map64_put(&r->labels.known, address, &is_new);
	if (is_new) {
		text = labels_text(r, address);
		*known = r->labels.texts.len;
		*(const char **)vec_push(&r->labels.texts, sizeof(text)) = text;
	}
	text = *vec_at(&r->labels.texts, const char *, *known);
	g->labels = text && *text ? text : NULL;
	g->labels_unread = !text;
}

static void forget_labels(struct reader *r)
{
	map64_clear(&r->labels.known);
	r->labels.texts.len = 0;
}

static struct goroutine gs_plain(struct reader *r, const struct g_facts *f, const uint8_t *g)
{
	const struct go_offsets *off = &r->opts->plan->offsets;
	struct goroutine ret = {
		.goid = f->goid,
		.create_pc = u64_at(g, off->g_gopc),
		.start_pc = u64_at(g, off->g_startpc),
		.status = (uint8_t)f->status,
		.reason = g[off->g_waitreason],
		.locked = u64_at(g, off->g_lockedm),
		.labels_unread = f->labels != 0,	/* until gs_take_labels() */
		.tid = tid_of(r, f),
	};
	uint64_t bubble = off->g_bubble == GO_OFFSET_NONE ? 0 : u64_at(g, off->g_bubble);

	if (off->g_parent_goid != GO_OFFSET_NONE)
		ret.parent = u64_at(g, off->g_parent_goid);
	if (bubble && off->bubble_id != GO_OFFSET_NONE)
		memory_read(r->opts->proc, bubble + off->bubble_id, &ret.bubble,
			    sizeof(ret.bubble));
	if ((f->status == G_WAITING || f->status == G_SYSCALL) && f->wait_since < r->now)
		ret.wait_since = f->wait_since;
	if (ret.wait_since)
		ret.waited_ns = r->now - ret.wait_since;
	return ret;
}

static void take_stack(struct reader *r, const struct unwind_start *from, struct goroutine *g)
{
	struct unwound stack;

	unwind(&r->out->unwinder, from, &stack);
	g->known = stack.n ? STACK_KNOWN : STACK_UNREADABLE;
	if (stack.n)
		g->stack = stackset_add(&r->out->stacks, &stack);
}

/*
 * Returns whether it is still the same goroutine, and runs: its g, stack and thread may serve
 * another one by now.
 */
static bool is_running_yet(struct reader *r, uint64_t address, const struct g_facts *f)
{
	struct g_facts now;

	goroutines_look(r->opts, &address, 1, &now, NULL);
	return now.goid == f->goid && now.status == G_RUNNING && now.m == f->m && now.lo == f->lo &&
	       now.hi == f->hi && now.labels == f->labels;
}

/*
 * Takes the stack of a running goroutine. True if it belongs to one stay of its thread in the
 * kernel.
 */
static bool gs_take_running(struct reader *r, uint64_t address, const struct g_facts *f,
			    struct goroutine *g)
{
	struct thread_place before, after;
	struct unwind_start from = { .lo = f->lo, .hi = f->hi, .trap = true };

	if (!g->tid || !thread_place(r->opts->proc, g->tid, &before) || before.sp < f->lo ||
	    before.sp >= f->hi)
		return false;
	from.pc = before.pc;
	from.sp = before.sp;
	from.link = before.link;
	take_stack(r, &from, g);
	gs_take_labels(r, f->labels, g);
	return g->known == STACK_KNOWN && is_running_yet(r, address, f) &&
	       thread_place(r->opts->proc, g->tid, &after) && thread_stayed(&before, &after);
}

static bool has_stack(const struct g_facts *f)
{
	return f->goid && f->status != G_RUNNING && f->sp >= f->lo && f->sp < f->hi;
}

/* Reads the piece of each stack that begins at its stack pointer. */
static void read_pieces(struct reader *r, size_t n, struct memory_range *ranges)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct g_facts *f = &r->before[i];

		ranges[i] = (struct memory_range){ f->sp, r->pieces + i * PIECE, 0, false };
		if (has_stack(f))
			ranges[i].len = f->hi - f->sp < PIECE ? f->hi - f->sp : PIECE;
	}
	memory_read_each(r->opts->proc, ranges, n);
}

/* Reads the stacks between the two looks. */
static void gs_take_all(struct reader *r, size_t n)
{
	struct memory_range pieces[BATCH];
	size_t i;

	forget_labels(r);
	read_pieces(r, n, pieces);
	for (i = 0; i < n; i++) {
		const struct g_facts *f = &r->before[i];
		struct unwind_start from = {
			.pc = f->pc, .sp = f->sp, .lo = f->lo, .hi = f->hi, .link = f->link,
			.bytes = pieces[i].to, .n = pieces[i].ok ? pieces[i].len : 0,
		};

		r->found[i] = gs_plain(r, f, r->bytes + i * G_BYTES);
		r->found[i].known = STACK_UNREADABLE;
		if (!has_stack(f))
			continue;
		take_stack(r, &from, &r->found[i]);
		gs_take_labels(r, f->labels, &r->found[i]);
	}
}

static void gs_keep(struct reader *r, uint64_t address, const struct g_facts *f,
		    const struct goroutine *g)
{
	struct goroutine *kept;

	kept = vec_push(&r->out->all, sizeof(*kept));
	*kept = *g;
	kept->still = r->opts->watch ? watch_still(r->opts->watch, address, f) : STILL_NOT_WATCHED;
	r->out->moved += g->known == STACK_MOVED;
}

static bool is_none(const struct g_facts *f)
{
	return !f->goid || !f->status || f->status == G_DEAD || f->status == G_DEADEXTRA;
}

/* Keeps a running goroutine, with the facts that are true at the second look. */
static void keep_running(struct reader *r, uint64_t address, size_t i)
{
	const struct g_facts *f = &r->after[i];
	struct goroutine g = gs_plain(r, f, r->bytes + i * G_BYTES);

	if (!gs_take_running(r, address, f, &g)) {
		g.known = STACK_RUNNING;
		g.labels = NULL;
		g.labels_unread = f->labels != 0;
	}
	gs_keep(r, address, f, &g);
}

/* Keeps a goroutine that ran each time that it was read: its last state, without a stack. */
static void keep_moving(struct reader *r, uint64_t address, size_t i)
{
	struct goroutine g = gs_plain(r, &r->after[i], r->bytes + i * G_BYTES);

	g.known = STACK_MOVED;
	gs_keep(r, address, &r->after[i], &g);
}

/*
 * casgstatus() counts just after it has changed the status, and its caller then takes the goroutine
 * off its thread (dropg). Between the two a goroutine that ran would look as if it had not. Only
 * goroutines that the collector scans have a thread for longer; they are kept with the state of the
 * last attempt.
 */
static bool is_off_its_thread(const struct g_facts *f)
{
	return !f->m || f->status == G_SYSCALL;
}

/* Returns whether the goroutine needs no further attempt. */
static bool gs_settle(struct reader *r, uint64_t address, size_t i, bool last)
{
	const struct g_facts *before = &r->before[i], *after = &r->after[i];

	if (is_none(after)) {
		r->out->unreadable += last && !after->goid;
		return !after->goid ? last : true;
	}
	if (after->status == G_RUNNING)
		keep_running(r, address, i);
	else if (g_facts_same(before, after) && (is_off_its_thread(after) || last))
		gs_keep(r, address, after, &r->found[i]);
	else if (last)
		keep_moving(r, address, i);
	else
		return false;
	return true;
}

/* Reads @n goroutines; those that moved are read again with the next attempt. */
static void gs_take_batch(struct reader *r, uint64_t *gs, size_t n)
{
	size_t i, left;
	int attempt;

	for (attempt = 1; n; attempt++, n = left) {
		goroutines_look(r->opts, gs, n, r->before, r->bytes);
		gs_take_all(r, n);
		goroutines_look(r->opts, gs, n, r->after, r->bytes);
		for (i = left = 0; i < n; i++)
			if (!gs_settle(r, gs[i], i, attempt == ATTEMPTS))
				gs[left++] = gs[i];
		r->out->read_again += left;
	}
}

static int gs_take(struct reader *r, struct pointers *gs, struct error *err)
{
	const struct goroutines_opts *o = r->opts;
	size_t i, n;

	for (i = 0; i < gs->n; i += n) {
		n = gs->n - i < BATCH ? gs->n - i : BATCH;
		if (!stop_requested(o->stop))
			gs_take_batch(r, gs->at + i, n);
		if (stop_requested(o->stop) || memory_is_silent(o->proc))
			return memory_error(o->proc, o->stop, "goroutines", err);
	}
	return 0;
}

/* --- times --- */

static int gs_by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the first of @n sorted values that is greater than @v; 0: none. */
static uint64_t next_greater(const uint64_t *values, size_t n, uint64_t v)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (values[middle] > v)
			high = middle;
		else
			low = middle + 1;
	}
	return low < n ? values[low] : 0;
}

/*
 * Sets the least waits. Each value of g.waitsince is the time of a collection. The collection that
 * first saw a wait was over when the next of these times was taken: the goroutine has waited at
 * least since that time.
 */
static void find_least_waits(struct goroutines *gs, uint64_t now)
{
	uint64_t *values = xcalloc(gs->all.len + 1, sizeof(*values)), next;
	size_t i, n = 0;

	for (i = 0; i < gs->all.len; i++)
		if (vec_at(&gs->all, struct goroutine, i)->wait_since)
			values[n++] = vec_at(&gs->all, struct goroutine, i)->wait_since;
	if (n)
		qsort(values, n, sizeof(*values), gs_by_value);
	for (i = 0; i < gs->all.len; i++) {
		struct goroutine *g = vec_at(&gs->all, struct goroutine, i);

		next = g->wait_since ? next_greater(values, n, g->wait_since) : 0;
		if (next)
			g->waited_least_ns = now - next;
	}
	free(values);
}

static int by_goid(const void *a, const void *b)
{
	uint64_t x = ((const struct goroutine *)a)->goid, y = ((const struct goroutine *)b)->goid;

	return (x > y) - (x < y);
}

static struct reader *gs_reader_new(struct goroutines *out, const struct goroutines_opts *opts)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	uint64_t size = memory_size(opts->proc);

	r->opts = opts;
	r->out = out;
	r->labels_room = size ? size : UINT64_MAX;
	r->now = process_nanotime(opts->proc);
	thread_ids_init(&r->tids, opts->proc);
	r->bytes = xcalloc(BATCH, G_BYTES);
	r->pieces = xcalloc(BATCH, PIECE);
	r->labels.room = xcalloc(1, sizeof(*r->labels.room));
	return r;
}

static void reader_free(struct reader *r)
{
	map64_free(&r->labels.known);
	vec_free(&r->labels.texts);
	buf_free(&r->labels.text);
	thread_ids_free(&r->tids);
	free(r->labels.room);
	free(r->bytes);
	free(r->pieces);
	free(r);
}

int goroutines_read(struct goroutines *ret, const struct goroutines_opts *opts, struct error *err)
{
	uint64_t size = memory_size(opts->proc);
	struct reader *r = gs_reader_new(ret, opts);
	struct pointers gs = {0};
	int rc;

	*ret = (struct goroutines){
		.labels = strset_new(),
		.unwinder = {
			.symbols = opts->symbols,
			.proc = opts->proc,
			.arch = opts->plan->arch,
			.words_left = size ? size / sizeof(uint64_t) : UINT64_MAX,
		},
	};
	rc = goroutines_list(opts, &gs, err);
	if (!rc)
		rc = gs_take(r, &gs, err);
	vec_sort(&ret->all, sizeof(struct goroutine), by_goid);
	find_least_waits(ret, r->now);
	pointers_free(&gs);
	reader_free(r);
	return rc;
}

void goroutines_free(struct goroutines *gs)
{
	vec_free(&gs->all);
	stackset_free(&gs->stacks);
	strset_free(gs->labels);
	unwinder_free(&gs->unwinder);
	*gs = (struct goroutines){0};
}
