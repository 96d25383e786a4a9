// SPDX-License-Identifier: Apache-2.0
/* keeper: see keeper.h. */
#define _GNU_SOURCE
#include "capture/keeper.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "capture/capture_internal.h"

#define TICK_NS (20 * 1000 * 1000)
/* Losses that go on: what is read is not exact, but nearer to the truth than what is known. */
#define PATIENCE_NS 1000000000ULL

enum {
	TRIES = 5,		/* to read the states with nothing lost meanwhile */
	SHARE = 10,		/* reading takes no more than one part in so many of the time */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A launched program has no goroutines when probes are attached: they are found later. */
static bool know_roots(struct capture *cap)
{
	struct roots roots;
	struct error err;

	if (cap->roots.allgs)
		return true;
	if (roots_find(cap->plan, cap->proc, &roots, &err))
		return false;
	cap->roots.allp = roots.allp;
	__atomic_store_n(&cap->roots.allgs, roots.allgs, __ATOMIC_RELEASE);
	return true;
}

static void read_anew(struct capture *cap)
{
	struct keeper *k = &cap->keeper;
	uint64_t begin = now_ns(), lost;
	struct snapshot_counts counts = {0};
	struct buf records = {0};
	struct error err;
	int tries = 0, r = -1;

	do {
		records.len = 0;
		lost = losses_total(&cap->losses);
		if (!capture_resume(cap, REC_GAP_REREAD))
			break;
		r = capture_read_states(cap, &records, &counts, &err);
	} while (++tries < TRIES && (r || losses_total(&cap->losses) != lost));
	if (!r) {	/* else the program has most likely ended; if not, another time */
		capture_hand_over(cap, records.data, records.len);
		k->lost_read = lost;
	}
	buf_free(&records);
	k->read = now_ns();
	k->took = k->read - begin;
}

/* Are states wrong, and is there hope to get them right? */
static bool is_due(struct keeper *k, uint64_t lost, uint64_t now)
{
	bool quiet = lost == k->lost;

	k->lost = lost;
	return lost != k->lost_read && (quiet || now - k->read >= PATIENCE_NS) &&
	       now - k->read >= SHARE * k->took;
}

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

static void *keep(void *arg)
{
	struct capture *cap = arg;

	while (wait_tick(cap))
		if (is_due(&cap->keeper, losses_total(&cap->losses), now_ns()) && know_roots(cap))
			read_anew(cap);
	return NULL;
}

int keeper_start(struct capture *cap, struct error *err)
{
	sigset_t all, old;
	int r;

	cap->keeper.read = now_ns();
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
