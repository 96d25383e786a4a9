// SPDX-License-Identifier: Apache-2.0
/*
 * capture: see capture.h. The drain thread owns the rings; chunks go round
 * between a free list and a queue, so that a recording allocates nothing once
 * it runs. The order of the start is: name the Ps, attach, activate, drain,
 * snapshot (design: log first, then read, then apply).
 */
#define _GNU_SOURCE
#include "capture/budget_price.h"
#include "capture/capture_internal.h"
#include "capture/cut.h"
#include "live/memory.h"
#include "live/module.h"
#include "live/settle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "proc/machine.h"
#include "proc/privilege.h"

/* What a busy machine may keep a thread waiting for the CPU. */
#define SETTLE_NS 2000000000ULL

enum {
	QUEUE_BYTES = 32 << 20,		/* waiting for the caller, at most */
	DRAIN_NS = 10 * 1000 * 1000,
	SLOW_ROUNDS = 10,		/* look for new threads to sample every so many */
	DRAIN_BUSY_NS = 1000 * 1000,	/* while a ring is more than an eighth full */
};

/* --- the queue --- */

static struct chunk *chunk_take_free(struct capture *cap)
{
	struct chunk *c;

	pthread_mutex_lock(&cap->lock);
	while (!cap->n_free || cap->queued_bytes > QUEUE_BYTES)
		pthread_cond_wait(&cap->changed, &cap->lock);
	c = cap->free_list[--cap->n_free];
	pthread_mutex_unlock(&cap->lock);
	chunk_reset(c);
	return c;
}

static void chunk_queue(struct capture *cap, struct chunk *c, bool last)
{
	pthread_mutex_lock(&cap->lock);
	cap->queue[(cap->head + cap->n_queued++) % CHUNKS] = c;
	cap->queued_bytes += c->data.len;
	cap->done = last;
	pthread_cond_broadcast(&cap->changed);
	pthread_mutex_unlock(&cap->lock);
}

static void give_back(struct capture *cap)
{
	if (!cap->taken)
		return;
	cap->free_list[cap->n_free++] = cap->taken;
	cap->taken = NULL;
	pthread_cond_broadcast(&cap->changed);
}

int capture_next(struct capture *cap, int timeout_ms, struct chunk **c)
{
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)timeout_ms % 1000 * 1000000;
	until.tv_sec += timeout_ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&cap->lock);
	give_back(cap);
	while (!cap->n_queued && !cap->done && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&cap->changed, &cap->lock, &until);
	if (cap->n_queued) {
		cap->taken = *c = cap->queue[cap->head];
		cap->head = (cap->head + 1) % CHUNKS;
		cap->n_queued--;
		cap->queued_bytes -= cap->taken->data.len;
		r = 1;
	} else {
		r = cap->done ? -ENODATA : 0;
	}
	pthread_mutex_unlock(&cap->lock);
	return r;
}

/* --- one round of draining --- */

static void add_gap(struct capture *cap, struct chunk *c, uint64_t now)
{
	struct rec gap = { .time = now, .kind = REC_GAP, .sub = cap->gap,
			   .flags = cap->form == GAP_SOON };
	struct rec resume = { .time = now, .kind = REC_RESUME };

	if (!cap->gap)
		return;
	buf_add(&c->data, &gap, sizeof(gap));
	if (cap->form == GAP_AND_RESUME)
		buf_add(&c->data, &resume, sizeof(resume));
	cap->gap = 0;
	pthread_cond_broadcast(&cap->changed);
}

bool capture_gap(struct capture *cap, enum rec_gap why, enum gap_form form)
{
	bool done;

	pthread_mutex_lock(&cap->lock);
	cap->gap = why;
	cap->form = form;
	while (cap->gap && !cap->keeper.stop)
		pthread_cond_wait(&cap->changed, &cap->lock);
	done = !cap->gap;
	pthread_mutex_unlock(&cap->lock);
	return done;
}

/* A creation without a goid, whose g had another one of these 16 bits before. */
struct unnamed {
	uint64_t g;
	uint16_t before;
};

/* Reads the goid of one; false: it is not there yet. */
static bool add_goid(struct capture *cap, struct chunk *c, const struct unnamed *u)
{
	struct rec_long l = { .r = { .kind = REC_GOID, .ptr = u->g } };

	if (!memory_read(cap->proc, u->g + cap->plan->offsets.g_goid, &l.r.id, 8))
		return true;	/* the process has gone */
	if ((uint16_t)l.r.id == u->before)
		return false;
	l.r.time = now_ns();
	buf_add(&c->data, &l, sizeof(l));
	return true;
}

/* Which creations of the chunk, whose records end at @end, have no goid? */
static void find_unnamed(struct capture *cap, const struct chunk *c, size_t end)
{
	const uint8_t *data = c->data.data;
	struct segment s;
	size_t at = 0, stop, n;

	while (at < end) {
		memcpy(&s, data + at, sizeof(s));
		at += sizeof(s);
		for (stop = at + s.len; at < stop; at += n) {
			const struct rec *r = (const struct rec *)(data + at);
			struct unnamed u = { .g = r->ptr, .before = r->flags };

			n = record_size(r, stop - at);
			if (!n)
				return;
			if ((r->kind == REC_GO_CREATE || r->kind == REC_GO_CREATE_BLOCKED) && !r->id)
				*(struct unnamed *)vec_push(&cap->unnamed, sizeof(u)) = u;
		}
	}
}

/*
 * Up to Go 1.23 some creations have no goid yet. It is in the g soon after, and
 * stays right until the g's next record, which the assembler prefers. The
 * time is taken after the read, so that a record from before it comes first.
 */
static void add_goids(struct capture *cap, struct chunk *c, size_t end)
{
	size_t i, left = 0;

	find_unnamed(cap, c, end);
	for (i = 0; i < cap->unnamed.len; i++) {
		struct unnamed *u = vec_at(&cap->unnamed, struct unnamed, i);

		if (!add_goid(cap, c, u))
			*vec_at(&cap->unnamed, struct unnamed, left++) = *u;
	}
	cap->unnamed.len = left;
}

/* Records made by user space: they come with the next chunk. */
void capture_hand_over(struct capture *cap, const void *records, size_t n)
{
	pthread_mutex_lock(&cap->lock);
	buf_add(&cap->extra, records, n);
	pthread_mutex_unlock(&cap->lock);
}

static void add_user_records(struct capture *cap, struct chunk *c, uint64_t now)
{
	size_t end = c->data.len, at = chunk_segment_begin(c, CHUNK_USER_CPU);

	pthread_mutex_lock(&cap->lock);
	buf_add(&c->data, cap->extra.data, cap->extra.len);
	cap->extra.len = 0;
	losses_tell(&cap->losses, now, __atomic_load_n(&cap->roots.allgs, __ATOMIC_ACQUIRE), &c->data);
	unreadable_report(&cap->unreadable, cap->bpf, cap->proc, now, &c->data);
	add_gap(cap, c, now);
	if (cap->ceiling)
		budget_meter_count(&cap->meter, c, end);
	pthread_mutex_unlock(&cap->lock);
	if (!cap->plan->goid_before_status)
		add_goids(cap, c, end);
	chunk_segment_end(c, at);
}

/* Returns whether a ring was getting full. */
static bool drain_round(struct capture *cap, struct chunk *c)
{
	uint64_t now = now_ns();
	bool clean = true, busy = false;
	size_t i, at;

	c->mono_ns = now;
	c->wall_ns = wall_ns();
	for (i = 0; i < bpf_ring_count(cap->bpf); i++) {
		struct ring *ring = bpf_ring(cap->bpf, i);

		busy |= ring_fill(ring) > ring->size / 8;
		at = chunk_segment_begin(c, ring->cpu);
		clean &= ring_drain(ring, &c->data);
		chunk_segment_end(c, at);
	}
	if (clean)
		cap->watermark = now;
	add_user_records(cap, c, now);
	c->watermark = cap->watermark;
	return busy;
}

/*
 * The code of a plugin that was opened meanwhile has no probes: what it did is
 * not in the rings, and what the program did from then on makes no sense alone.
 * The constructor that is seen here runs before any of that code.
 */
static bool opened_plugin(struct capture *cap)
{
	uint64_t now = now_ns();

	if (cap->end == CAPTURE_PLUGIN || module_opened_plugin(cap->proc))
		return true;
	cap->true_until = now;
	return false;
}

/* A round whose records are all true. */
static bool drain_true(struct capture *cap, struct chunk *c)
{
	bool busy = drain_round(cap, c);

	if (opened_plugin(cap)) {
		cap->end = CAPTURE_PLUGIN;
		chunk_cut(c, cap->true_until);
	}
	return busy;
}

/* Probes are gone: what is left in the rings is all there will be. */
static void drain_rest(struct capture *cap)
{
	struct chunk *c;
	bool busy;
	int rounds = 0;

	do {
		c = chunk_take_free(cap);
		busy = drain_true(cap, c);
		chunk_queue(cap, c, false);
	} while (busy && ++rounds < 1000);
	/* A program that was still running when its link went has submitted by now. */
	sleep_ns(DRAIN_NS);
	c = chunk_take_free(cap);
	drain_true(cap, c);
	c->watermark = UINT64_MAX;
	chunk_queue(cap, c, true);
}

static enum capture_end why_end(struct capture *cap)
{
	uint64_t now = now_ns();

	if (cap->end != CAPTURE_RUNNING)
		return cap->end;
	if (__atomic_load_n(&cap->stop, __ATOMIC_ACQUIRE))
		return CAPTURE_STOPPED;
	if (memory_is_silent(cap->proc))
		return CAPTURE_SILENT;
	if (process_ended(cap->proc))
		return CAPTURE_EXITED;
	if (!bpf_prober_lives(cap->bpf))
		return CAPTURE_UNPROBED;
	if (process_execed(cap->proc))
		return CAPTURE_EXECED;
	cap->lived_until = now;
	return CAPTURE_RUNNING;
}

/* A program may be silent until the end: only this record says how long it was watched. */
static void tell_end(struct capture *cap)
{
	struct rec end = { .kind = REC_CAPTURE_END, .time = cap->lived_until };

	if (cap->end == CAPTURE_STOPPED)
		end.time = now_ns();

	capture_hand_over(cap, &end, sizeof(end));
}

static void *drain_thread(void *arg)
{
	struct capture *cap = arg;
	unsigned int round = 0;
	bool busy;

	do {
		struct chunk *c = chunk_take_free(cap);

		busy = drain_true(cap, c);
		chunk_queue(cap, c, false);
		if (!cap->fits)
			cap->fits = snapshot_fits(cap->plan, cap->proc);
		cap->end = why_end(cap);
		if (++round % SLOW_ROUNDS == 0)
			sampler_update(&cap->sampler);
		if (round % SLOW_ROUNDS == 0 && cap->end == CAPTURE_RUNNING &&
		    bpf_text_moved(cap->bpf))
			cap->end = CAPTURE_MOVED;
		if (cap->end == CAPTURE_RUNNING)
			sleep_ns(busy ? DRAIN_BUSY_NS : DRAIN_NS);
	} while (cap->end == CAPTURE_RUNNING);
	keeper_stop(cap);
	bpf_deactivate(cap->bpf);
	tell_end(cap);
	sampler_stop(&cap->sampler);
	bpf_detach(cap->bpf, BPF_ALL);
	drain_rest(cap);
	return NULL;
}

bool capture_fits(const struct capture *cap)
{
	return cap->fits;
}

/* --- start and stop --- */

/* All records of a snapshot speak of the time when it was complete. */
static void stamp(struct buf *records, uint64_t now)
{
	size_t at, n;

	for (at = 0; at < records->len; at += n) {
		struct rec *r = (struct rec *)(records->data + at);

		n = record_size(r, records->len - at);
		if (!n)
			return;
		r->time = now;
	}
}

int capture_read_states(struct capture *cap, struct buf *records, struct snapshot_counts *counts,
			struct error *err)
{
	const struct snapshot_opts opts = { .stack_depth = cap->stack_depth,
					    .stop = &cap->stop_reading };
	struct rec end = { .kind = REC_SNAP_END };
	int r;

	settle(cap->proc, SETTLE_NS, &cap->stop_reading);
	r = snapshot_take(cap->plan, cap->proc, &cap->roots, &opts, records, counts, err);
	if (r)
		return r;
	buf_add(records, &end, sizeof(end));
	stamp(records, now_ns());
	return 0;
}

/* Up to Go 1.23 records of creations do not know all goids. */
void capture_names_known(struct capture *cap, const struct snapshot_counts *counts, uint64_t lost)
{
	if (cap->plan->goid_before_status && !counts->unreadable)
		bpf_names_known(cap->bpf, now_ns(), lost);
}

static int read_snapshot(struct capture *cap, struct error *err)
{
	uint64_t lost = bpf_names_lost(cap->bpf);
	struct rec end = { .time = now_ns(), .kind = REC_SNAP_END };
	struct snapshot_counts counts = {0};
	struct buf records = {0};
	int r = 0;

	if (cap->proc->launched)
		buf_add(&records, &end, sizeof(end));
	else
		r = capture_read_states(cap, &records, &counts, err);
	if (!r) {
		capture_hand_over(cap, records.data, records.len);
		capture_names_known(cap, &counts, lost);
	}
	buf_free(&records);
	return r;
}

static int start_thread(struct capture *cap, struct error *err)
{
	sigset_t all, old;
	int r;

	/* Signals are the main thread's affair. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&cap->thread, NULL, drain_thread, cap);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	cap->thread_runs = true;
	return 0;
}

static struct capture *capture_new(const struct plan *plan, struct process *proc,
				   unsigned int stack_depth)
{
	struct capture *cap = xcalloc(1, sizeof(*cap));
	pthread_condattr_t attr;
	size_t i;

	cap->plan = plan;
	cap->proc = proc;
	cap->stack_depth = stack_depth;
	pthread_mutex_init(&cap->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cap->changed, &attr);
	pthread_condattr_destroy(&attr);
	for (i = 0; i < CHUNKS; i++)
		cap->free_list[cap->n_free++] = &cap->chunks[i];
	return cap;
}

/*
 * What is needed from here on: the target's memory (goids, the snapshot), and
 * clocks for new threads. Before Linux 5.19 reading a map by its descriptor took
 * CAP_BPF, too, unless unprivileged users have BPF. No thread must run before.
 */
static int drop_privileges(const struct bpf_opts *opts, struct bpf_side *bpf, struct error *err)
{
	unsigned int keep = PRIVILEGE_PTRACE;
	int r = bpf_prober_keeps(bpf, opts->budget > 0, err);	/* with one probes come and go */

	if (opts->cpu_hz)
		keep |= PRIVILEGE_PERFMON;
	if (!machine_release_is(5, 19))
		keep |= PRIVILEGE_BPF;
	return r ? r : privilege_keep(keep, err);
}

static int start(struct capture *cap, const struct bpf_opts *opts, struct error *err)
{
	int r;

	cap->stop_reading = (struct stop_request){ opts->stop, &cap->keeper.stop };
	r = memory_begin(cap->proc, &cap->stop_reading, err);
	if (!r)
		r = bpf_load(&cap->bpf, cap->plan, cap->proc, opts, err);
	if (r)
		return r;
	losses_init(&cap->losses, cap->bpf);
	cap->ceiling = opts->budget;
	cap->fits = !cap->proc->launched || !cap->plan->assumed;
	if (!cap->proc->launched)
		r = roots_find(cap->plan, cap->proc, &cap->stop_reading, &cap->roots, err);
	if (!r && !cap->proc->launched)
		r = snapshot_names(cap->plan, cap->proc, &cap->roots, &cap->extra, err);
	if (!r)
		r = bpf_attach(cap->bpf, BPF_ALL, err);
	if (!r && opts->budget > 0) {
		struct budget_prices prices;

		budget_measure(cap->bpf, &prices);
		budget_init(&cap->keeper.budget, &prices, opts->budget);
	}
	if (r)
		return r;
	if (opts->cpu_hz)
		r = sampler_start(&cap->sampler, cap->proc, bpf_sampling_program(cap->bpf),
				  opts->cpu_hz, err);
	if (!r)
		r = drop_privileges(opts, cap->bpf, err);
	if (r)
		return r;
	bpf_activate(cap->bpf);
	r = start_thread(cap, err);
	if (!r)
		r = read_snapshot(cap, err);
	if (!r)
		r = keeper_start(cap, err);
	process_release(cap->proc);
	return r;
}

int capture_start(struct capture **ret, const struct plan *plan, struct process *proc,
		  const struct bpf_opts *opts, struct error *err)
{
	struct capture *cap = capture_new(plan, proc, opts->stack_depth);
	int r = start(cap, opts, err);

	if (r) {
		capture_free(cap);
		return r;
	}
	*ret = cap;
	return 0;
}

void capture_stop(struct capture *cap)
{
	__atomic_store_n(&cap->stop, true, __ATOMIC_RELEASE);
}

enum capture_end capture_ended(const struct capture *cap)
{
	return cap->end;
}

const struct budget *capture_budget(const struct capture *cap)
{
	return &cap->keeper.budget;
}

const char *capture_method(const struct capture *cap)
{
	return bpf_method(cap->bpf);
}

void capture_free(struct capture *cap)
{
	struct chunk *c;
	size_t i;

	if (!cap)
		return;
	if (cap->thread_runs) {
		capture_stop(cap);
		while (capture_next(cap, 100, &c) != -ENODATA)
			;
		pthread_join(cap->thread, NULL);
	}
	keeper_stop(cap);	/* it may have begun when the drain had ended already */
	sampler_stop(&cap->sampler);
	bpf_free(cap->bpf);
	memory_end(cap->proc);
	for (i = 0; i < CHUNKS; i++)
		chunk_free(&cap->chunks[i]);
	buf_free(&cap->extra);
	vec_free(&cap->unnamed);
	losses_free(&cap->losses);
	unreadable_free(&cap->unreadable);
	budget_meter_free(&cap->meter);
	pthread_cond_destroy(&cap->changed);
	pthread_mutex_destroy(&cap->lock);
	free(cap);
}
