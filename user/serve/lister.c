// SPDX-License-Identifier: Apache-2.0
/* lister: see lister.h. */
#define _GNU_SOURCE
#include "serve/lister.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/internal.h"

enum { LISTER_BYTES = 16 << 20, LISTER_COMMANDS = 16, IDLE_MINUTES = 10 };

static const uint64_t FRESH_NS = SECOND_NS / 4;

struct lister {
	struct server *server;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked, done;
	bool wanted, busy, over;	/* busy: a list is being made */
	uint64_t rounds;		/* lists that were made, or failed */
	struct buf json;		/* the last one; empty: it failed, */
	char failed[300];		/* for this reason */
	uint64_t made;			/* when it was begun, ns; 0: none */
	/* of the thread */
	struct run run;
	int ask;			/* the child's standard input; -1: there is no child */
};

/* --- the child --- */

static void lister_end_child(struct lister *l)
{
	cleanup_close(&l->ask);
	l->ask = -1;
	run_end(&l->run);
	l->run = RUN_NONE;
}

static bool lister_begin_child(struct lister *l, struct error *err)
{
	_cleanup_free_ char *most = xasprintf("%d", LISTER_COMMANDS);
	struct run_args args = {0};
	int ends[2], r;

	if (l->ask >= 0)
		return true;
	if (pipe2(ends, O_CLOEXEC))
		return !error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	args.in = ends[0];
	run_arg2(&args, "gotap", "ps");
	run_arg2(&args, "--json", "--again");
	run_arg2(&args, "--command-max", most);
	if (l->server->o->proc_dir)
		run_arg2(&args, "--proc", l->server->o->proc_dir);
	r = run_start(&l->run, &args, NULL, err);
	close(ends[0]);
	l->ask = ends[1];
	if (r)
		lister_end_child(l);
	return !r;
}

/* Reads a line. */
static bool lister_read(struct lister *l, struct buf *out)
{
	struct patience p = { .client = -1, .answer = -1, .stop = l->server->stop,
			      .deadline = now_ns() + GRACE_SECONDS * SECOND_NS };
	char piece[4096];
	size_t n;

	while (run_read(&l->run, &p, piece, sizeof(piece), &n) == RUN_DATA) {
		buf_add(out, piece, n);
		if (out->data[out->len - 1] == '\n')
			return true;
		if (out->len > LISTER_BYTES)
			return false;
	}
	return false;
}

/* A list, or none: *@failed has the reason then, which the caller frees. */
static void lister_make(struct lister *l, struct buf *json, char **failed)
{
	struct error err = {0};

	*failed = NULL;
	if (!lister_begin_child(l, &err)) {
		*failed = xstrdup(err.text);
		return;
	}
	if (write(l->ask, "\n", 1) == 1 && lister_read(l, json))
		return;
	*failed = run_error(&l->run);
	json->len = 0;
	lister_end_child(l);
}

/* --- the thread --- */

static void lister_round(struct lister *l)
{
	_cleanup_free_ char *failed = NULL;
	uint64_t began = now_ns();
	struct buf json = {0};

	lister_make(l, &json, &failed);
	pthread_mutex_lock(&l->lock);
	buf_free(&l->json);
	l->json = json;
	snprintf(l->failed, sizeof(l->failed), "%s", failed ? failed : "");
	l->made = json.len ? began : 0;
	l->rounds++;
	l->busy = false;
	pthread_cond_broadcast(&l->done);
	pthread_mutex_unlock(&l->lock);
}

/* False: the server ends. */
static bool lister_wait(struct lister *l)
{
	struct timespec until;
	bool wanted, over;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_MINUTES * 60;
	pthread_mutex_lock(&l->lock);
	while (!l->wanted && !l->over)
		if (pthread_cond_timedwait(&l->asked, &l->lock, &until) == ETIMEDOUT)
			break;
	wanted = l->wanted;
	over = l->over;
	l->wanted = false;
	l->busy = wanted && !over;
	pthread_mutex_unlock(&l->lock);
	if (!wanted)
		lister_end_child(l);
	else if (!over)
		lister_round(l);
	return !over;
}

static void *lister_main(void *lister)
{
	struct lister *l = lister;

	while (lister_wait(l))
		;
	lister_end_child(l);
	return NULL;
}

static void lister_release(struct lister *l)
{
	buf_free(&l->json);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->asked);
	pthread_cond_destroy(&l->done);
	free(l);
}

int lister_start(struct lister **ret, struct server *s, struct error *err)
{
	struct lister *l = xcalloc(1, sizeof(*l));
	pthread_condattr_t monotonic;
	int r;

	l->server = s;
	l->run = RUN_NONE;
	l->ask = -1;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->asked, &monotonic);
	pthread_cond_init(&l->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	r = pthread_create(&l->thread, NULL, lister_main, l);
	if (r) {
		lister_release(l);
		return error_set(err, -r, "cannot make a thread: %s", strerror(r));
	}
	*ret = l;
	return 0;
}

void lister_stop(struct lister *l)
{
	if (!l)
		return;
	eventfd_write(l->server->stop, 1);
	pthread_mutex_lock(&l->lock);
	l->over = true;
	pthread_cond_broadcast(&l->asked);
	pthread_cond_broadcast(&l->done);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	lister_release(l);
}

/* --- who asks --- */

/* A round that goes on may have passed the process that is looked for: the next one counts. */
static void lister_wait_for_list(struct lister *l)
{
	struct timespec until;
	uint64_t want;

	if (l->made && now_ns() - l->made < FRESH_NS)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 2 * GRACE_SECONDS;
	want = l->rounds + (l->busy ? 2 : 1);
	l->wanted = true;
	pthread_cond_signal(&l->asked);
	while (l->rounds < want && !l->over)
		if (pthread_cond_timedwait(&l->done, &l->lock, &until) == ETIMEDOUT)
			break;
}

bool lister_list(struct lister *l, const struct peer *who, struct listing *ret,
		 struct refusal *why)
{
	struct buf json = {0};
	bool ok;

	pthread_mutex_lock(&l->lock);
	lister_wait_for_list(l);
	ok = l->json.len && !l->over;
	if (ok)
		buf_add(&json, l->json.data, l->json.len);
	else
		refuse(why, l->over ? 503 : 500, "could not list the processes: %s",
		       l->over ? "gotap serve ends" : l->failed);
	pthread_mutex_unlock(&l->lock);
	if (ok && !listing_parse(ret, (const char *)json.data, json.len, &l->server->fs, who))
		ok = refuse(why, 500, "could not list the processes: gotap ps gave no JSON");
	buf_free(&json);
	return ok;
}
