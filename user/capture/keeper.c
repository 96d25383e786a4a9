// SPDX-License-Identifier: Apache-2.0
/* keeper: see keeper.h. */
#define _GNU_SOURCE
#include "capture/keeper.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "capture/capture_internal.h"

#define TICK_NS (20 * 1000 * 1000)
/* Losses that go on: what is read is not exact, but nearer to the truth than what is known. */
#define PATIENCE_NS 1000000000ULL
#define BUDGET_NS (100 * 1000 * 1000)

enum {
	TRIES = 5,		/* to read the states with nothing lost meanwhile */
	SHARE = 10,		/* reading takes no more than one part in so many of the time */
};

static bool wait_tick(struct capture *cap)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&cap->lock);
	while (!cap->keeper.stop && !pthread_cond_timedwait(&cap->changed, &cap->lock, &until))
		;
	stop = cap->keeper.stop;
	pthread_mutex_unlock(&cap->lock);
	return !stop;
}

/* A launched program has no goroutines when probes are attached: they are found later. */
static bool know_roots(struct capture *cap)
{
	struct roots roots;
	struct error err;

	if (cap->roots.allgs)
		return true;
	if (roots_find(cap->plan, cap->proc, &cap->stop_reading, &roots, &err))
		return false;
	cap->roots.allp = roots.allp;
	__atomic_store_n(&cap->roots.allgs, roots.allgs, __ATOMIC_RELEASE);
	return true;
}

static bool read_anew(struct capture *cap, enum rec_gap why)
{
	struct keeper *k = &cap->keeper;
	uint64_t begin = now_ns(), lost, names_lost;
	struct snapshot_counts counts = {0};
	struct buf records = {0};
	struct error err;
	int tries = 0, r = -1;

	do {
		records.len = 0;
		lost = losses_total(&cap->losses);
		names_lost = bpf_names_lost(cap->bpf);
		if (!capture_gap(cap, why, GAP_AND_RESUME))
			break;
		r = capture_read_states(cap, &records, &counts, &err);
	} while (++tries < TRIES && (r || losses_total(&cap->losses) != lost));
	if (!r) {	/* else the program has most likely ended; if not, another time */
		capture_hand_over(cap, records.data, records.len);
		capture_names_known(cap, &counts, names_lost);
		k->lost_read = lost;
	}
	buf_free(&records);
	k->read = now_ns();
	k->took = k->read - begin;
	return !r;
}

/* Are states wrong, and is there hope to get them right? */
static bool is_due(struct keeper *k, uint64_t lost, uint64_t now)
{
	bool quiet = lost == k->lost;

	k->lost = lost;
	return lost != k->lost_read && (quiet || now - k->read >= PATIENCE_NS) &&
	       now - k->read >= SHARE * k->took;
}

/* --- the budget --- */

/* What happened since the last look at the counters. */
static struct budget_load take_load(struct capture *cap)
{
	struct keeper *k = &cap->keeper;
	uint64_t now = now_ns(), hits = budget_hits(cap->bpf), lost = losses_total(&cap->losses);
	struct budget_load sum, d;

	pthread_mutex_lock(&cap->lock);
	sum = cap->meter.sum;
	pthread_mutex_unlock(&cap->lock);
	sum.records += lost;
	d = (struct budget_load){
		.ns = now - k->metered,
		.hits = hits - k->hits,
		.records = sum.records - k->sum.records,
		.extras = sum.extras - k->sum.extras,
		.stacks = sum.stacks - k->sum.stacks,
		.walked = sum.walked - k->sum.walked,
		.frames = sum.frames - k->sum.frames,
	};
	k->metered = now;
	k->hits = hits;
	k->sum = sum;
	return d;
}

/* Every level on the way has its own place in the trace. */
static void tell_levels(struct capture *cap, enum rec_level from)
{
	const struct budget *b = &cap->keeper.budget;
	int level = (int)from, step = (int)b->level > level ? 1 : -1;

	while (level != (int)b->level) {
		struct rec_long l = {
			.r = { .time = now_ns(), .kind = REC_BUDGET, .sub = (uint8_t)(level += step),
			       .id = (uint64_t)b->cost },
			.arg = (uint64_t)b->ceiling,
		};

		capture_hand_over(cap, &l, sizeof(l));
	}
}

static unsigned int parts_at(enum rec_level level)
{
	return level >= REC_LEVEL_NO_EXTRAS ? BPF_CORE : BPF_ALL;
}

static void set_level(struct capture *cap, enum rec_level from)
{
	enum rec_level level = cap->keeper.budget.level;
	struct error err;

	bpf_set_stacks(cap->bpf, level >= REC_LEVEL_NO_STACKS ? STACKS_NONE :
				 level == REC_LEVEL_SHORT_STACKS ? STACKS_SHORT : STACKS_WHOLE);
	if (parts_at(from) == BPF_ALL && parts_at(level) == BPF_CORE)
		bpf_detach(cap->bpf, BPF_EXTRAS);
	else if (parts_at(from) == BPF_CORE && parts_at(level) == BPF_ALL)
		bpf_attach(cap->bpf, BPF_EXTRAS, &err);	/* if not, the trace lacks them */
}

/*
 * In that order: what is told after the gap has begun counts no more, so it does
 * not matter that probes go one after the other.
 */
static void begin_slice_without(struct capture *cap)
{
	if (!capture_gap(cap, REC_GAP_BUDGET, GAP_SOON) || !wait_tick(cap) ||
	    !capture_gap(cap, REC_GAP_BUDGET, GAP_NOW))
		return;
	bpf_names_unknown(cap->bpf);
	bpf_deactivate(cap->bpf);
	bpf_detach(cap->bpf, BPF_ALL);
}

/* As at the attach. If it fails the program has gone, or it is tried again. */
static void end_slice_without(struct capture *cap)
{
	struct error err;

	if (bpf_attach(cap->bpf, parts_at(cap->keeper.budget.level), &err)) {
		cap->keeper.budget.off = true;
		return;
	}
	bpf_activate(cap->bpf);
	if (!read_anew(cap, REC_GAP_BUDGET)) {
		bpf_deactivate(cap->bpf);
		bpf_detach(cap->bpf, BPF_ALL);
		cap->keeper.budget.off = true;
	}
}

static void keep_budget(struct capture *cap)
{
	struct keeper *k = &cap->keeper;
	enum rec_level level = k->budget.level;
	bool off = k->budget.off;
	struct budget_load load;

	if (!cap->ceiling || now_ns() - k->metered < BUDGET_NS)
		return;
	load = take_load(cap);
	budget_tick(&k->budget, &load);
	if (k->budget.off && !know_roots(cap)) {	/* nothing could be read afterwards */
		k->budget.off = false;
		k->budget.level = REC_LEVEL_NO_EXTRAS;
	}
	if (k->budget.level != level) {
		tell_levels(cap, level);
		set_level(cap, level);
	}
	if (k->budget.off == off)
		return;
	if (k->budget.off)
		begin_slice_without(cap);
	else
		end_slice_without(cap);
}

/* --- the thread --- */

static void *keep(void *arg)
{
	struct capture *cap = arg;
	struct keeper *k = &cap->keeper;

	while (wait_tick(cap)) {
		keep_budget(cap);
		if (!k->budget.off && is_due(k, losses_total(&cap->losses), now_ns()) &&
		    know_roots(cap))
			read_anew(cap, REC_GAP_REREAD);
	}
	return NULL;
}

int keeper_start(struct capture *cap, struct error *err)
{
	sigset_t all, old;
	int r;

	cap->keeper.read = cap->keeper.metered = now_ns();
	cap->keeper.hits = budget_hits(cap->bpf);	/* the calibration's are among them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&cap->keeper.thread, NULL, keep, cap);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	pthread_mutex_lock(&cap->lock);
	cap->keeper.runs = true;
	pthread_mutex_unlock(&cap->lock);
	return 0;
}

void keeper_stop(struct capture *cap)
{
	bool runs;

	pthread_mutex_lock(&cap->lock);
	cap->keeper.stop = true;
	runs = cap->keeper.runs;
	cap->keeper.runs = false;
	pthread_cond_broadcast(&cap->changed);
	pthread_mutex_unlock(&cap->lock);
	if (runs)
		pthread_join(cap->keeper.thread, NULL);
}
