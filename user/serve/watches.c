// SPDX-License-Identifier: Apache-2.0
/* watches: see watches.h. This file looks for processes; watch_one.c records one. */
#define _GNU_SOURCE
#include "serve/watches.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map64.h"
#include "serve/internal.h"
#include "serve/lister.h"
#include "serve/listing.h"
#include "serve/watch_one.h"

/*
 * Processes are counted every LOOK seconds, which costs next to nothing. If there is one that was
 * not there before, they are listed (`gotap ps`), but not more often than every LIST seconds. A
 * process can become another program by an exec: so they are also listed every EXEC seconds.
 */
enum { LOOK_MS = 1000, LIST_SECONDS = 5, EXEC_SECONDS = 60 };

struct watches {
	struct server *server;
	pthread_t thread;
	pthread_mutex_t lock;		/* of the recordings, and of the counts */
	struct watch_one *ones[WATCH_MOST];	/* NULL: free */
	struct watches_counts counts;
	/* of the thread that looks */
	struct map64 seen;		/* pid -> start of each process at the last look */
	uint64_t listed;		/* when they were listed, ns */
	bool due;
	bool said_full;
};

/* --- recordings --- */

static struct watch_one **watches_slot_of(struct watches *w, pid_t pid, uint64_t start)
{
	size_t i;

	for (i = 0; i < WATCH_MOST; i++)
		if (w->ones[i] && watch_one_is(w->ones[i], pid, start))
			return &w->ones[i];
	return NULL;
}

static struct watch_one **watches_free_slot(struct watches *w)
{
	size_t i;

	for (i = 0; i < WATCH_MOST; i++)
		if (!w->ones[i])
			return &w->ones[i];
	return NULL;
}

static void watches_say_full(struct watches *w)
{
	_cleanup_free_ char *line =
		xasprintf("gotap: %d processes are watched: further ones are left out\n",
			  WATCH_MOST);

	if (!w->said_full)
		serve_say(w->server, line);
	w->said_full = true;
}

/* Begins to watch a process, unless it is watched. */
static void watches_add(struct watches *w, pid_t pid, const char *name)
{
	struct procfs_usage usage;
	struct watch_one **slot;

	if (procfs_usage(&w->server->fs, pid, &usage))
		return;
	pthread_mutex_lock(&w->lock);
	slot = watches_slot_of(w, pid, usage.start) ? NULL : watches_free_slot(w);
	if (slot)
		*slot = watch_one_start(w->server, pid, usage.start, name);
	else if (!watches_slot_of(w, pid, usage.start))
		w->counts.left_out++;
	w->counts.began += slot && *slot;
	pthread_mutex_unlock(&w->lock);
	if (w->counts.left_out)
		watches_say_full(w);
}

/* Frees those whose process has ended. */
static void watches_sweep(struct watches *w)
{
	size_t i;

	for (i = 0; i < WATCH_MOST; i++) {
		struct watch_one *one = w->ones[i];

		if (!one || !watch_one_is_over(one))
			continue;
		pthread_mutex_lock(&w->lock);
		w->counts.failed += watch_one_failures(one);
		w->ones[i] = NULL;
		pthread_mutex_unlock(&w->lock);
		watch_one_free(one);
		w->due = true;
	}
}

/* --- processes --- */

static pid_t pid_in(const char *what)
{
	return strspn(what, "0123456789") == strlen(what) ? (pid_t)atol(what) : 0;
}

/* Has a process begun since the last look? */
static bool watches_has_new(struct watches *w)
{
	struct map64 now = {0};
	struct vec pids = {0};
	bool found = false;
	size_t i;

	procfs_pids(&w->server->fs, &pids);
	for (i = 0; i < pids.len; i++) {
		pid_t pid = *vec_at(&pids, pid_t, i);

		map64_put(&now, (uint64_t)pid, NULL);
		found |= !map64_get(&w->seen, (uint64_t)pid);
	}
	vec_free(&pids);
	map64_free(&w->seen);
	w->seen = now;
	return found;
}

static void watches_take_list(struct watches *w, const struct listing *l)
{
	const struct vec *names = &w->server->o->watch;
	size_t i, k;

	for (i = 0; i < json_object_array_length(l->processes); i++) {
		struct json_object *process = json_object_array_get_idx(l->processes, i);

		for (k = 0; k < names->len; k++) {
			const char *name = *vec_at(names, const char *, k);

			if (!pid_in(name) && listing_has_name(process, name))
				watches_add(w, listing_pid_of(process),
					  listing_program_of(process));
		}
	}
}

static void watches_list(struct watches *w)
{
	const struct peer all = { .all = true };
	struct refusal why = {0};
	struct listing l;

	w->listed = now_ns();
	w->due = false;
	if (!lister_list(w->server->lister, &all, &l, &why))
		return;
	pthread_mutex_lock(&w->lock);
	w->counts.left_out = 0;
	pthread_mutex_unlock(&w->lock);
	watches_take_list(w, &l);
	listing_free(&l);
}

/* --- the thread --- */

static bool has_names(const struct watches *w)
{
	const struct vec *names = &w->server->o->watch;
	size_t i;

	for (i = 0; i < names->len; i++)
		if (!pid_in(*vec_at(names, const char *, i)))
			return true;
	return false;
}

static void watches_look(struct watches *w)
{
	uint64_t since;

	watches_sweep(w);
	if (!has_names(w))
		return;
	w->due |= watches_has_new(w);
	since = now_ns() - w->listed;
	if ((w->due && since > LIST_SECONDS * SECOND_NS) || since > EXEC_SECONDS * SECOND_NS)
		watches_list(w);
}

static void watches_begin(struct watches *w)
{
	const struct vec *names = &w->server->o->watch;
	size_t i;

	for (i = 0; i < names->len; i++)
		if (pid_in(*vec_at(names, const char *, i)))
			watches_add(w, pid_in(*vec_at(names, const char *, i)), "");
	watches_has_new(w);
	if (has_names(w))
		watches_list(w);
}

static void *watches_main(void *watch)
{
	struct watches *w = watch;
	struct pollfd stop = { .fd = w->server->stop, .events = POLLIN };

	watches_begin(w);
	while (poll(&stop, 1, LOOK_MS) <= 0)
		watches_look(w);
	return NULL;
}

int watches_start(struct watches **ret, struct server *s, struct error *err)
{
	struct watches *w = xcalloc(1, sizeof(*w));
	int r;

	w->server = s;
	pthread_mutex_init(&w->lock, NULL);
	r = pthread_create(&w->thread, NULL, watches_main, w);
	if (r) {
		pthread_mutex_destroy(&w->lock);
		free(w);
		return error_set(err, -r, "cannot make a thread: %s", strerror(r));
	}
	*ret = w;
	return 0;
}

/* The stop of the server ends the threads; here they are waited for. */
void watches_stop(struct watches *w)
{
	size_t i;

	if (!w)
		return;
	eventfd_write(w->server->stop, 1);
	pthread_join(w->thread, NULL);
	for (i = 0; i < WATCH_MOST; i++)
		if (w->ones[i])
			watch_one_free(w->ones[i]);
	map64_free(&w->seen);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- for a scrape --- */

bool watches_of(struct watches *w, pid_t pid, uint64_t start, struct watched *ret)
{
	struct watch_one **slot;

	*ret = (struct watched){0};
	if (!w)
		return false;
	pthread_mutex_lock(&w->lock);
	slot = watches_slot_of(w, pid, start);
	if (slot)
		watch_one_copy(*slot, ret);
	pthread_mutex_unlock(&w->lock);
	return slot;
}

void watches_counts(struct watches *w, struct watches_counts *ret)
{
	size_t i;

	*ret = (struct watches_counts){0};
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	*ret = w->counts;
	for (i = 0; i < WATCH_MOST; i++) {
		ret->running += w->ones[i] && !watch_one_is_over(w->ones[i]);
		ret->failed += w->ones[i] ? watch_one_failures(w->ones[i]) : 0;
	}
	pthread_mutex_unlock(&w->lock);
}
