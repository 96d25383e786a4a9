// SPDX-License-Identifier: Apache-2.0
/*
 * capture: see capture.h. Puts the parts of a recording together, and starts and
 * ends them. Threads, none of which waits for another while the recording runs:
 *
 *	caller	takes chunks from the queue
 *	drain	rings -> chunks -> queue; looks for the end (drain, watch)
 *	guard	the priorities of both, by how full rings and queue are
 *	gaps	losses, budget, no reader: probes away and back, states read anew
 *
 * The order of the start: name the Ps, attach, activate, drain, read the states
 * (log first, then read, then apply). The order of the end: nothing is recorded
 * any more; then the others learn of it; then probes go.
 */
#define _GNU_SOURCE
#include "capture/capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "attach/sampler.h"
#include "base/clock.h"
#include "base/limits.h"
#include "capture/budget_price.h"
#include "capture/drain.h"
#include "capture/gaps.h"
#include "capture/guard.h"
#include "capture/pace.h"
#include "capture/sockets.h"
#include "capture/thread_states.h"
#include "live/memory.h"
#include "live/snapshot_memory.h"
#include "proc/machine.h"
#include "proc/privilege.h"

enum {
	DRAIN_NS = 10 * 1000 * 1000,
	/*
	 * With --attach inline. A round costs its wake-up, and rings of that size or more have room
	 * for 36 ms of the most records that a program with 2 threads made, 440 MB/s.
	 */
	DRAIN_LONG_NS = 20 * 1000 * 1000,
	DRAIN_LONG_RING = 16 << 20,
	LOOK_NS = 1000 * 1000,		/* between two looks whether the program was looked at */
	LAST_LOOKS = 20,
};

/* Time between two looks for new threads to sample. */
#define SAMPLER_NS 100000000ULL

struct capture {
	const struct plan *plan;
	struct process *proc;
	struct bpf_side *bpf;
	struct chunk_queue queue;
	struct user_records records;
	struct probes probes;
	struct states states;
	struct watch watch;
	struct goids goids;
	struct budget_meter meter;
	struct sampler sampler;		/* used by the drain thread once it runs */
	struct thread_states threads;	/* likewise */
	struct drain drain;
	struct gaps gaps;
	struct guard guard;
	struct sockets sockets;		/* of the caller's thread */
	pthread_t thread;
	bool thread_runs;
	uint64_t begun, cpu;	/* of the drain thread's begin: time, and CPU time of gotap, ns */
};

/* --- the drain thread --- */

/* Both in ns of CPU per second; 0: not counted. */

static uint64_t capture_probes_cost(const struct capture *cap)
{
	const struct budget *b = capture_budget(cap);

	return b && budget_limits(b->ceiling) ? (uint64_t)budget_mean_cost(b) : 0;
}

static uint64_t capture_own_cost(const struct capture *cap)
{
	uint64_t now = now_ns(), cpu = clock_own_cpu_ns();

	return now > cap->begun && cpu > cap->cpu ?
		       (uint64_t)((double)(cpu - cap->cpu) * 1e9 / (double)(now - cap->begun)) : 0;
}

/*
 * Appends the record of the end. A program may make no records until the end: only this one says
 * until when it was watched.
 */
static void capture_say_end(struct capture *cap)
{
	struct rec end = { .kind = REC_CAPTURE_END, .time = watch_end_time(&cap->watch),
			   .id = capture_probes_cost(cap), .ptr = capture_own_cost(cap) };

	if (cap->watch.end == CAPTURE_STOPPED)
		user_records_add(&cap->records, &end, sizeof(end));
	else
		user_records_add_dated(&cap->records, &end, sizeof(end));
}

/*
 * First ends all attempts to read states, so that the stream gets no states from after the last
 * record. The thread of gaps.c may still read, or attach probes, for which the removal waits; no
 * probe makes records by then.
 */
static void capture_do_end(struct capture *cap)
{
	guard_hold(&cap->guard);
	gaps_stop(&cap->gaps);
	probes_silence(&cap->probes);
	thread_states_end(&cap->threads);
	bpf_end_threads(cap->bpf);
	capture_say_end(cap);
	sampler_stop(&cap->sampler);
	probes_detach(&cap->probes, BPF_ALL | BPF_INLINE);
	gaps_join(&cap->gaps);
	budget_control_end(&cap->gaps.budget);
	drain_rest(&cap->drain);
}

static void *drain_thread(void *arg)
{
	struct capture *cap = arg;
	long idle = cap->drain.rare ? DRAIN_LONG_NS : DRAIN_NS;
	uint64_t before = now_ns(), sampled = before, now;

	cap->begun = before;
	cap->cpu = clock_own_cpu_ns();
	pthread_setname_np(pthread_self(), "gotap-drain");
	guard_drain_begins(&cap->guard);
	for (;; before = now) {
		bpf_beat(cap->bpf);
		now = now_ns();
		guard_round(&cap->guard, now);
		drain_round(&cap->drain);
		guard_round_found(&cap->guard, cap->drain.fill, now - before);
		if (cap->watch.end != CAPTURE_RUNNING)
			break;
		if (now - sampled >= SAMPLER_NS) {
			sampler_update(&cap->sampler);
			sampled = now;
		}
		thread_states_tick(&cap->threads);
		sleep_ns(pace_sleep(cap->drain.fill, now - before, idle));
	}
	capture_do_end(cap);
	return NULL;
}

static int start_thread(struct capture *cap, struct error *err)
{
	int r = thread_start(&cap->thread, drain_thread, cap);

	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	cap->thread_runs = true;
	return 0;
}

/* --- start --- */

static struct capture *capture_new(const struct plan *plan, struct process *proc)
{
	struct capture *cap = xcalloc(1, sizeof(*cap));
	char folder[PROCFS_PATH];

	procfs_path(&proc->fs, proc->pid, "", folder);
	sockets_init(&cap->sockets, folder);
	cap->sockets.opened = plan_has_program(plan, PROGRAM_poll_open);
	cap->plan = plan;
	cap->proc = proc;
	cap->states.stop_reading.thread = &cap->states.stop;
	chunk_queue_init(&cap->queue);
	user_records_init(&cap->records);
	probes_init(&cap->probes);
	budget_meter_init(&cap->meter);
	goids_init(&cap->goids, plan, proc);
	gaps_init(&cap->gaps);
	return cap;
}

/* Returns whether rounds may be rarer: a ring has room for all that comes meanwhile. */
static bool rings_are_long(const struct capture *cap)
{
	return cap->plan->for_inline && bpf_rings(cap->bpf)->size >= DRAIN_LONG_RING;
}

/* Gives each part the others that it works with, once the BPF programs are loaded. */
static void connect_parts(struct capture *cap, const struct capture_opts *opts)
{
	struct ring_set *rings = bpf_rings(cap->bpf);

	cap->probes.bpf = cap->bpf;
	watch_init(&cap->watch, cap->proc, cap->bpf);
	cap->states.plan = cap->plan;
	cap->states.proc = cap->proc;
	cap->states.bpf = cap->bpf;
	cap->states.records = &cap->records;
	cap->states.stack_depth = opts->bpf.stack_depth;
	cap->drain = (struct drain){
		.rings = rings,
		.in_target = bpf_inline_rings(cap->bpf),
		.queue = &cap->queue,
		.user = &cap->records,
		.states = &cap->states,
		.meter = budget_limits(opts->budget) ? &cap->meter : NULL,
		.watch = &cap->watch,
		.rare = rings_are_long(cap),
		.goids = cap->plan->goid_before_status ? NULL : &cap->goids,
	};
	losses_init(&cap->drain.losses, rings, cap->drain.in_target);
	texts_init(&cap->drain.texts, cap->proc, cap->plan->types_start + cap->proc->bias,
		   bpf_texts_missing(cap->bpf));
	cap->gaps.probes = &cap->probes;
	cap->gaps.queue = &cap->queue;
	cap->gaps.states = &cap->states;
	cap->gaps.records = &cap->records;
	cap->gaps.rings = rings;
	cap->gaps.inline_wanted = cap->plan->for_inline;
	cap->gaps.budget.probes = &cap->probes;
	cap->gaps.budget.meter = &cap->meter;
	cap->gaps.budget.records = &cap->records;
	cap->gaps.budget.regions.plan = cap->plan;
	cap->gaps.budget.regions.probes = &cap->probes;
	cap->gaps.budget.regions.records = &cap->records;
}

/*
 * Keeps the privileges that are needed from here on: to read the target's memory (goids, the
 * snapshot) and to open clocks for new threads; of the prober, to put probes back after a gap.
 * Before Linux 5.19 reading a map by its descriptor took CAP_BPF, too, unless unprivileged users
 * have BPF. No thread must run before, but the guard, which gives up its own.
 */
static int drop_privileges(const struct capture_opts *opts, struct bpf_side *bpf, struct error *err)
{
	unsigned int keep = PRIVILEGE_PTRACE;
	int r = bpf_prober_keeps(bpf, err);

	if (opts->bpf.cpu_hz)
		keep |= PRIVILEGE_PERFMON;
	if (!machine_release_is(5, 19))
		keep |= PRIVILEGE_BPF;
	if (!r)
		r = privilege_keep(keep, err);
	return r ? r : privilege_filter(false, err);
}

/* Returns the price of a call of the function at which it is highest. */
static double capture_call_price(const struct capture *cap, const struct budget_prices *prices)
{
	double price, most = 0;
	size_t i;

	for (i = 0; i < cap->plan->regions.len; i++) {
		price = region_call_price(prices, vec_at(&cap->plan->regions,
							 struct plan_region, i));
		most = price > most ? price : most;
	}
	return most;
}

static void plan_budget(struct capture *cap, const struct capture_opts *opts)
{
	struct budget_prices prices;

	if (!budget_limits(opts->budget) && !cap->plan->regions.len)
		return;
	budget_measure(cap->bpf, &prices);
	if (cap->plan->regions.len)
		budget_measure_step(cap->bpf, &prices);
	region_budget_init(&cap->gaps.budget.regions, &prices, opts->budget);
	if (cap->plan->regions.len && opts->said_price)
		opts->said_price(opts->price_ctx, capture_call_price(cap, &prices));
	if (!budget_limits(opts->budget))
		return;
	if (cap->plan->for_inline)
		budget_measure_inline(&prices);
	budget_init(&cap->gaps.budget.budget, &prices, opts->budget, opts->bpf.stack_depth,
		    bpf_has_extras(cap->bpf));
}

/*
 * Raises gotap's priority, while it is needed. Code in the target can make more records than gotap
 * can take with its fair share of a busy machine. With the higher priority gotap takes the CPU time
 * that the records need, before the program makes more of them.
 */
static int go_before_the_program(struct capture *cap, struct error *err)
{
	if (!cap->plan->for_inline)
		return 0;
	return guard_begin(&cap->guard, bpf_rings(cap->bpf), &cap->queue, err);
}

/* Does all that takes privileges: loads programs, attaches probes, opens clocks. */
/*
 * bpf_load() starts the prober. It writes to the program's memory: to put code in it, or to take
 * out code that a killed gotap has left. gotap opens the mem file before it gives up its rights.
 */
static int capture_load(struct capture *cap, const struct bpf_opts *opts, struct error *err)
{
	int r;

	process_hold_memory(cap->proc);
	r = bpf_load(&cap->bpf, cap->plan, cap->proc, opts, err);
	process_leave_memory(cap->proc);
	return r;
}

/*
 * The probes of regions read names in the function table, of which the program may not have touched
 * the pages. External linkers put it where the file's bytes are no constants (capture/texts.c).
 */
static void touch_region_names(const struct capture *cap)
{
	size_t i;

	for (i = 0; i < cap->plan->regions.len; i++)
		memory_touch(cap->proc, cap->proc->bias +
			     vec_at(&cap->plan->regions, struct plan_region, i)->name_at);
}

static int put_in_place(struct capture *cap, const struct capture_opts *opts, struct error *err)
{
	struct bpf_opts bpf = opts->bpf;
	int r;

	bpf.calibration = budget_limits(opts->budget) || cap->plan->regions.len;
	cap->states.stop_reading.signal = opts->stop;
	r = memory_begin(cap->proc, &cap->states.stop_reading, err);
	if (!r)
		r = capture_load(cap, &bpf, err);
	if (r)
		return r;
	connect_parts(cap, opts);
	touch_region_names(cap);
	snapshot_touch_types(cap->plan, cap->proc, &cap->states.stop_reading);
	r = states_begin(&cap->states, err);
	if (!r)
		r = probes_attach(&cap->probes, BPF_ALL, err);
	if (r)
		return r;
	bpf_watch_exec(cap->bpf);
	bpf_watch_oom(cap->bpf);
	r = bpf_attach_threads(cap->bpf, err);
	if (r)
		return r;
	plan_budget(cap, opts);
	r = go_before_the_program(cap, err);
	if (!r && opts->bpf.cpu_hz)
		r = sampler_start(&cap->sampler, cap->proc, bpf_sampling_program(cap->bpf),
				  opts->bpf.cpu_hz, err);
	return r ? r : drop_privileges(opts, cap->bpf, err);
}

/*
 * The drain thread reads the states of threads from /proc, a part between two rounds, since rings
 * fill meanwhile.
 */
static void begin_threads(struct capture *cap)
{
	if (!(cap->plan->groups & 1u << GROUP_LINUX))
		return;
	thread_states_begin(&cap->threads, cap->proc, &cap->records, bpf_threads_with(cap->bpf));
	bpf_begin_threads(cap->bpf);
}

/*
 * Waits until a look has found the program unchanged after its states were read. If the program
 * opens a plugin, the records since the last look are dropped: without that look nothing of the
 * recording would be left.
 */
static void await_look(struct capture *cap)
{
	uint64_t since = now_ns();

	while (!watch_has_looked(&cap->watch, since) && !stop_requested(&cap->states.stop_reading))
		sleep_ns(LOOK_NS);
}

static int capture_do_start(struct capture *cap, const struct capture_opts *opts, struct error *err)
{
	int r = put_in_place(cap, opts, err);

	if (r)
		return r;
	budget_control_begin(&cap->gaps.budget);
	probes_activate(&cap->probes);
	begin_threads(cap);
	r = gaps_start(&cap->gaps, err);
	if (!r)
		r = start_thread(cap, err);
	if (!r)
		r = states_read_first(&cap->states, err);
	if (!r)
		gaps_allow(&cap->gaps);
	if (!r && !cap->proc->launched)
		await_look(cap);
	process_release(cap->proc);
	if (!r && cap->proc->hold_lost)
		r = error_set(err, -ECHILD,
			      "process %d went on before its probes were there: the process that "
			      "held it has "
			      "ended, or waits no longer",
			      cap->proc->pid);
	return r;
}

/*
 * Returns whether the first reading of states failed because of an exec. The drain thread notices
 * an exec within its next rounds. This thread cannot see it in /proc if the target has exec'ed its
 * own file again.
 */
static bool capture_has_execed(const struct capture *cap, int r)
{
	int looks;

	if (r != -EINTR && r != -ESRCH)
		return false;
	for (looks = 0; r == -ESRCH && cap->thread_runs && looks < LAST_LOOKS; looks++) {
		if (__atomic_load_n(&cap->watch.end, __ATOMIC_ACQUIRE) != CAPTURE_RUNNING)
			break;
		sleep_ns(DRAIN_NS);
	}
	return __atomic_load_n(&cap->watch.end, __ATOMIC_ACQUIRE) == CAPTURE_EXECED;
}

int capture_start(struct capture **ret, const struct plan *plan, struct process *proc,
		  const struct capture_opts *opts, struct error *err)
{
	struct capture *cap = capture_new(plan, proc);
	int r = capture_do_start(cap, opts, err);

	if (capture_has_execed(cap, r))
		r = error_set(err, -ESTALE,
			      "process %d has exec'ed another program meanwhile: record that one, "
			      "with -p",
			      proc->pid);
	if (r) {
		capture_free(cap);
		return r;
	}
	*ret = cap;
	return 0;
}

/* --- the caller's side --- */

int capture_next(struct capture *cap, int timeout_ms, struct chunk **c)
{
	int r = chunk_queue_next(&cap->queue, timeout_ms, c);

	if (r == -ENODATA)
		guard_end(&cap->guard);
	return r;
}

void capture_stop(struct capture *cap)
{
	guard_hold(&cap->guard);
	watch_stop(&cap->watch);
}

void capture_stop_at(struct capture *cap, uint64_t time)
{
	watch_stop_at(&cap->watch, time);
}

void capture_look_at_sockets(struct capture *cap, bool now)
{
	struct buf records = {0};

	if (sockets_look(&cap->sockets, now, &records))
		user_records_add(&cap->records, records.data, records.len);
	buf_free(&records);
}

enum capture_end capture_ended(const struct capture *cap)
{
	return cap->watch.end;
}

bool capture_left_breakpoints(const struct capture *cap)
{
	return bpf_left_breakpoints(cap->bpf);
}

bool capture_fits(const struct capture *cap)
{
	return states_fit(&cap->states);
}

const struct budget *capture_budget(const struct capture *cap)
{
	return &cap->gaps.budget.budget;
}

/*
 * Reads each value whole, while the thread of gaps.c may change it; the values need not be of one
 * tick.
 */
struct capture_cost capture_cost(const struct capture *cap)
{
	const struct budget *b = &cap->gaps.budget.budget;
	struct capture_cost c;

	__atomic_load(&b->spent, &c.spent, __ATOMIC_RELAXED);
	__atomic_load(&b->metered, &c.metered, __ATOMIC_RELAXED);
	__atomic_load(&b->level, &c.level, __ATOMIC_RELAXED);
	__atomic_load(&b->off, &c.off, __ATOMIC_RELAXED);
	return c;
}

const struct inline_status *capture_inline(const struct capture *cap)
{
	return bpf_inline_status(cap->bpf);
}

const struct foreign *capture_foreign(const struct capture *cap)
{
	return &bpf_inline_rings(cap->bpf)->door;
}

const char *capture_method(const struct capture *cap)
{
	return bpf_method(cap->bpf);
}

bool capture_watches_oom(const struct capture *cap)
{
	return bpf_watches_oom(cap->bpf);
}

uint64_t capture_oom_time(const struct capture *cap)
{
	return bpf_oom_time(cap->bpf);
}

/* Ends the threads. A drain thread has ended all others; without one they end here. */
static void end_threads(struct capture *cap)
{
	struct chunk *c;

	if (cap->thread_runs) {
		capture_stop(cap);
		while (chunk_queue_next(&cap->queue, 100, &c) != -ENODATA)
			;
		pthread_join(cap->thread, NULL);
	} else if (cap->gaps.runs) {
		gaps_stop(&cap->gaps);
		gaps_join(&cap->gaps);
	}
}

void capture_free(struct capture *cap)
{
	if (!cap)
		return;
	end_threads(cap);
	guard_end(&cap->guard);
	sampler_stop(&cap->sampler);
	bpf_free(cap->bpf);
	memory_end(cap->proc);
	gaps_destroy(&cap->gaps);
	thread_states_free(&cap->threads);
	losses_free(&cap->drain.losses);
	unreadable_free(&cap->drain.unreadable);
	texts_free(&cap->drain.texts);
	goids_free(&cap->goids);
	budget_meter_free(&cap->meter);
	probes_destroy(&cap->probes);
	sockets_free(&cap->sockets);
	user_records_free(&cap->records);
	chunk_queue_free(&cap->queue);
	free(cap);
}
