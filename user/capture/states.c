// SPDX-License-Identifier: Apache-2.0
/* states: see states.h. */
#include "capture/states.h"

#include <errno.h>

#include "base/clock.h"
#include "live/settle.h"

/* The longest time that a thread may wait for the CPU on a busy machine. */
#define SETTLE_NS 2000000000ULL

enum { TRIES = 5 };	/* tries to read the states while no record is lost */
/* No further try begins after this time: inexact states are better than a longer gap. */
#define TRIES_NS 1000000000ULL

int states_begin(struct states *s, struct error *err)
{
	struct buf names = {0};
	int r;

	s->fits = !s->proc->launched || !s->plan->assumed;
	if (s->proc->launched)
		return 0;
	r = roots_find(s->plan, s->proc, &s->stop_reading, &s->roots, err);
	if (!r)
		r = snapshot_names(s->plan, s->proc, &s->roots, &names, err);
	if (!r)
		user_records_add(s->records, names.data, names.len);
	buf_free(&names);
	return r;
}

/* Counts, for the report, the parts of a snapshot that may be wrong or are missing. */
static void add_count(struct buf *records, uint8_t kind, uint64_t n)
{
	struct rec_long l = { .r = { .kind = kind }, .arg = n };

	if (n)
		buf_add(records, &l, sizeof(l));
}

/* Reads all states, once the threads have left the probes that they were in. */
static int states_read_all(struct states *s, struct buf *records, struct snapshot_counts *counts,
			   struct error *err)
{
	const struct snapshot_opts opts = { .stack_depth = s->stack_depth, .fits = s->checked,
					    .stop = &s->stop_reading };
	size_t unsettled = settle(s->proc, SETTLE_NS, &s->stop_reading);
	int r = snapshot_take(s->plan, s->proc, &s->roots, &opts, records, counts, err);

	if (r)
		return r;
	s->checked = true;
	add_count(records, REC_UNSETTLED, unsettled);
	add_count(records, REC_UNREADABLE, counts->unreadable + counts->unreadable_spans);
	return 0;
}

/*
 * Puts the states into the stream. Records may leave out goids from then on only if every goroutine
 * was read: no record would have the goid of one that was not. Up to Go 1.23 not all records of
 * creations have a goid.
 */
static void states_publish(struct states *s, struct buf *records,
			   const struct snapshot_counts *counts, uint64_t names_lost)
{
	struct rec end = { .kind = REC_SNAP_END };

	buf_add(records, &end, sizeof(end));
	user_records_add(s->records, records->data, records->len);
	if (s->plan->goid_before_status && !counts->unreadable)
		bpf_names_known(s->bpf, now_ns(), names_lost);
}

int states_read_first(struct states *s, struct error *err)
{
	uint64_t names_lost = bpf_names_lost(s->bpf);
	struct snapshot_counts counts = {0};
	struct buf records = {0};
	int r = 0;

	if (!s->proc->launched)
		r = states_read_all(s, &records, &counts, err);
	if (!r)
		states_publish(s, &records, &counts, names_lost);
	buf_free(&records);
	return r;
}

/*
 * From this record on nothing is missing: its time ends the gap, and begins one if there was none.
 */
static void say_resumed(struct states *s, enum rec_gap why)
{
	struct rec both[2] = {
		{ .kind = REC_GAP, .sub = (uint8_t)why },
		{ .kind = REC_RESUME },
	};

	user_records_add(s->records, both, sizeof(both));
}

bool states_read_anew(struct states *s, enum rec_gap why, uint64_t *lost)
{
	struct snapshot_counts counts = {0};
	struct buf records = {0};
	struct error err;
	uint64_t names_lost, begin = now_ns();
	int tries = 0, r;

	do {
		records.len = 0;
		*lost = ring_set_lost(bpf_rings(s->bpf));
		names_lost = bpf_names_lost(s->bpf);
		say_resumed(s, why);
		r = states_read_all(s, &records, &counts, &err);
	} while (++tries < TRIES && now_ns() - begin < TRIES_NS &&
		 !stop_requested(&s->stop_reading) &&
		 (r || ring_set_lost(bpf_rings(s->bpf)) != *lost));
	/* stopped: some states may have been read after the last record was made */
	if (stop_requested(&s->stop_reading))
		r = -ECANCELED;
	if (!r)
		states_publish(s, &records, &counts, names_lost);
	buf_free(&records);
	return !r;
}

bool states_known(struct states *s)
{
	struct roots roots;
	struct error err;

	if (s->roots.allgs)
		return true;
	if (roots_find(s->plan, s->proc, &s->stop_reading, &roots, &err))
		return false;
	s->roots.allp = roots.allp;
	__atomic_store_n(&s->roots.allgs, roots.allgs, __ATOMIC_RELEASE);
	return true;
}

bool states_were_found(const struct states *s)
{
	return __atomic_load_n(&s->roots.allgs, __ATOMIC_ACQUIRE);
}

void states_look_whether_it_fits(struct states *s)
{
	uint64_t begin = now_ns();
	bool fits;

	if (states_fit(s) || begin < s->not_before)
		return;
	fits = snapshot_fits(s->plan, s->proc, &s->stop_reading);
	__atomic_store_n(&s->fits, fits, __ATOMIC_RELEASE);
	/* a search for the lists takes at most half of the time */
	s->not_before = 2 * now_ns() - begin;
}

bool states_fit(const struct states *s)
{
	return __atomic_load_n(&s->fits, __ATOMIC_ACQUIRE);
}

void states_stop(struct states *s)
{
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
}
