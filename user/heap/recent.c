// SPDX-License-Identifier: Apache-2.0
/* recent: see recent.h. */
#include "heap/recent.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "live/memory.h"
#include "proc/cgroup_memory.h"
#include "proc/cgroup_mounts.h"
#include "proc/procfs.h"

enum {
	LOOK_MS = 200,
	SHARE = 20,		/* the part of a CPU that readings may take */
	/*
	 * The runtime takes buckets from a chunk of the size of a window for each P: so many are in
	 * use at a time.
	 */
	WINDOWS_LEAST = 32, WINDOWS_EACH_CPU = 2,
	GROWN_PART = 8, LARGER_PART = 2, NEAR_PART = 32,
	CGROUP_TEXT = 65536,
	PROFILES = 4,		/* the last one, two earlier ones, and the one that is read */
};

static const uint64_t EACH_NS = 10000000000, GROWN_NS = 1000000000, GROWN_BYTES = 16 << 20;

struct recent {
	struct heap_opts opts;
	struct memory_usage_files files;
	struct cgroup_mounts mounts;
	struct buf cgroup;		/* gotap's own, as proc has it; no text: not known */
	int wake;			/* eventfd: the thread is to end, */
	bool stopping;			/* and so is a reading */
	struct stop_request stop;
	pthread_t thread;
	bool runs;
	/* of the thread, until it has ended */
	struct recent_profile profiles[PROFILES];
	/* last, middle, old: of @profiles; NULL: none */
	struct recent_profile *last, *middle, *old;
	struct memory_usage begin, now, lived, before;
	uint64_t ended, cpu;		/* the last reading, also one that failed: end, CPU time */
	uint64_t reads, failed, without_room, cpu_all;
};

/* --- is it time to read? --- */

static bool recent_has_grown(const struct memory_usage *now, const struct memory_usage *before,
			     uint64_t bytes)
{
	return now->anonymous > before->anonymous && now->anonymous - before->anonymous >= bytes;
}

static bool recent_is_near(const struct recent *r)
{
	const struct memory_usage *now = &r->now;

	return now->limit && now->used > now->limit / 4 * 3 &&
	       recent_has_grown(now, &r->last->usage, now->limit / NEAR_PART);
}

static bool recent_is_larger(const struct recent *r, unsigned int part)
{
	const struct memory_usage *before = &r->last->usage;

	return recent_has_grown(&r->now, before, before->anonymous / part) &&
	       recent_has_grown(&r->now, before, GROWN_BYTES);
}

/* Has a collection ended since the last reading? */
static bool recent_has_collected(const struct recent *r)
{
	uint32_t cycle;

	return heap_read_cycle(&r->opts, &cycle) && cycle != r->last->heap.cycle;
}

static bool recent_is_due(const struct recent *r)
{
	uint64_t since = now_ns() - r->ended;

	if (since < SHARE * r->cpu)
		return false;
	if (!r->last)
		return !r->reads || since >= GROWN_NS;
	if (recent_is_near(r) || recent_is_larger(r, LARGER_PART) ||
	    (since >= GROWN_NS && recent_is_larger(r, GROWN_PART)))
		return true;
	return since >= EACH_NS && recent_has_collected(r);
}

/* Bytes of the windows and of a profile like the last one, with its growth. */
static uint64_t recent_bytes(const struct recent *r)
{
	uint64_t ret = (uint64_t)r->opts.windows * HEAP_WINDOW;

	if (r->last)
		ret += 2 * (r->last->heap.records.len * sizeof(struct heap_record) +
			    r->last->heap.pcs.len * sizeof(uint64_t));
	return ret;
}

static bool recent_has_room(struct recent *r)
{
	struct cgroup_need need = { .text = (const char *)r->cgroup.data, .bytes = recent_bytes(r),
				    .other = "" };
	struct cgroup_short none;
	bool ret = !need.text || cgroup_memory_room(&r->mounts, &need, &none) != CGROUP_NO_ROOM;

	r->without_room += !ret;
	return ret;
}

/* --- a reading --- */

static struct recent_profile *recent_free_profile(struct recent *r)
{
	struct recent_profile *p = r->profiles;

	while (p == r->last || p == r->middle || p == r->old)
		p++;
	return p;
}

/* The new one becomes the last one; of the others those remain that are EACH_NS older. */
static void recent_keep(struct recent *r, struct recent_profile *p)
{
	struct recent_profile *drop = r->last;

	if (r->last && (!r->middle || r->last->time - r->middle->time >= EACH_NS)) {
		drop = r->old;
		r->old = r->middle;
		r->middle = r->last;
	}
	r->last = p;
	if (drop) {
		heap_free(&drop->heap);
		drop->is_set = false;
	}
}

/* CPU time of this thread and the readers, ns. */
static uint64_t recent_cpu_ns(const struct recent *r)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return memory_cpu_ns(r->opts.proc) + (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void recent_read(struct recent *r)
{
	struct recent_profile *p = recent_free_profile(r);
	uint64_t begin = recent_cpu_ns(r);
	struct error err;
	int e;

	p->usage = r->now;
	e = heap_read(&p->heap, &r->opts, &err);
	r->ended = p->time = now_ns();
	r->cpu = recent_cpu_ns(r) - begin;
	r->cpu_all += r->cpu;
	r->reads++;
	r->failed += e != 0;
	p->is_set = !e;
	if (e)
		heap_free(&p->heap);
	else
		recent_keep(r, p);
}

/* --- the thread --- */

static void recent_look(struct recent *r, bool lives)
{
	memory_usage_read(&r->files, &r->now);
	if (!lives || !r->now.limit || !r->now.anonymous)
		return;
	r->before = r->lived;
	r->lived = r->now;
}

/* Waits for the next look. False: the process has ended, or the thread is to end. */
static bool recent_wait(const struct recent *r)
{
	struct pollfd ends[] = { { .fd = r->wake, .events = POLLIN },
				 { .fd = r->opts.proc->fs.own ? r->opts.proc->pidfd : -1,
				   .events = POLLIN } };

	return poll(ends, 2, LOOK_MS) <= 0;
}

static void *recent_run(void *ctx)
{
	struct recent *r = ctx;

	while (recent_wait(r)) {
		recent_look(r, true);
		if (r->opts.vars->mbuckets && !memory_is_silent(r->opts.proc) && recent_is_due(r) &&
		    recent_has_room(r))
			recent_read(r);
	}
	/* soon, as the cgroup of a container is removed after the container's end */
	recent_look(r, false);
	return NULL;
}

static unsigned int recent_windows(void)
{
	long n = WINDOWS_EACH_CPU * sysconf(_SC_NPROCESSORS_CONF);

	if (n < WINDOWS_LEAST)
		return WINDOWS_LEAST;
	return n > HEAP_WINDOWS ? HEAP_WINDOWS : (unsigned int)n;
}

static void recent_find_cgroup(struct recent *r)
{
	const struct procfs fs = { .dir = "/proc" };

	cgroup_mounts_find(&r->mounts, "/proc/self/mountinfo");
	if (procfs_read(&fs, getpid(), "cgroup", CGROUP_TEXT, &r->cgroup))
		buf_free(&r->cgroup);
}

struct recent *recent_new(const struct heap_opts *opts)
{
	struct recent *r = xcalloc(1, sizeof(*r));

	r->opts = *opts;
	r->stop.thread = &r->stopping;
	r->opts.stop = &r->stop;
	r->opts.most = RECENT_BYTES;
	r->opts.windows = recent_windows();
	recent_find_cgroup(r);
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	memory_usage_open(&r->files, &opts->proc->fs, opts->proc->pid, "/proc/self/mountinfo");
	recent_look(r, true);
	r->begin = r->now;
	return r;
}

int recent_start(struct recent *r, struct error *err)
{
	int e = r->wake < 0 ? EMFILE : thread_start(&r->thread, recent_run, r);

	r->runs = !e;
	return e ? error_set(err, -e, "cannot start the thread that reads heap profiles: %s",
			     strerror(e)) : 0;
}

void recent_stop(struct recent *r, struct recent_result *ret)
{
	const uint64_t one = 1;

	if (r->runs) {
		__atomic_store_n(&r->stopping, true, __ATOMIC_RELEASE);
		(void)!write(r->wake, &one, sizeof(one));
		pthread_join(r->thread, NULL);
	}
	r->runs = false;
	*ret = (struct recent_result){
		.last = r->last, .begin = r->begin, .end = r->now, .lived = r->lived,
		.before = r->before.limit ? r->before : r->begin,
		.reads = r->reads, .without_room = r->without_room,
		.failed = r->failed, .cpu_ns = r->cpu_all,
	};
	ret->earlier = r->middle && r->last->time - r->middle->time >= EACH_NS ? r->middle :
		       r->old						       ? r->old :
										 r->middle;
}

const char *recent_cgroup(const struct recent *r)
{
	return r->files.cgroup;
}

void recent_free(struct recent *r)
{
	struct recent_result none;
	size_t i;

	if (!r)
		return;
	recent_stop(r, &none);
	for (i = 0; i < PROFILES; i++)
		heap_free(&r->profiles[i].heap);
	memory_usage_close(&r->files);
	cgroup_mounts_free(&r->mounts);
	buf_free(&r->cgroup);
	if (r->wake >= 0)
		close(r->wake);
	free(r);
}
