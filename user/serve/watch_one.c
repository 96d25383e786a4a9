// SPDX-License-Identifier: Apache-2.0
/* watch_one: see watch_one.h. */
#define _GNU_SOURCE
#include "serve/watch_one.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "proc/kernel_btf.h"
#include "serve/internal.h"

/*
 * A line of `gotap top --json --brief` has 3 to 8 kB, and 200 to 1500 more for each route of which
 * requests ended, of 513 at most.
 */
enum { LINE_BYTES = 1 << 20 };
/* A recording that fails is tried again after FIRST seconds, and each time later, up to MOST. */
enum { FIRST_SECONDS = 5, MOST_SECONDS = 300 };

/*
 * Groups of which the metrics are. No metric has a stack, but one frame tells a goroutine of the
 * runtime from the others.
 */
#define WATCH_EVENTS "sched,syscall,gc,heap,http"
#define WATCH_BUDGET "10"

struct watch_one {
	struct server *server;
	pid_t pid;
	uint64_t start;
	char *name;
	pthread_t thread;
	atomic_bool over;
	atomic_uint failures;
	pthread_mutex_t lock;		/* of the sums */
	struct watched sums;
	char *said;			/* the last error that was printed */
};

/* --- messages --- */

static void one_say(struct watch_one *o, const char *what)
{
	_cleanup_free_ char *name = show_dup(o->name);
	_cleanup_free_ char *line = xasprintf("gotap: process %d%s%s%s: %s\n", o->pid,
					      *name ? " (" : "", name, *name ? ")" : "", what);

	if (!o->server->o->quiet)
		serve_say(o->server, line);
}

/* An error is printed once, and again when it is another one. */
static void one_say_failed(struct watch_one *o, char *error, unsigned int seconds)
{
	_cleanup_free_ char *what = xasprintf(
		"its recording for /metrics failed: %s; it is tried again, first in %u s", error,
		seconds);

	if (!o->said || strcmp(o->said, error))
		one_say(o, what);
	free(o->said);
	o->said = error;
}

/* --- one recording --- */

static bool one_is_there(const struct watch_one *o)
{
	struct procfs_usage usage;

	return !procfs_usage(&o->server->fs, o->pid, &usage) && usage.start == o->start;
}

static void take_lines(struct watch_one *o, struct buf *text)
{
	const char *end;
	size_t n;

	while ((end = memchr(text->data, '\n', text->len))) {
		n = (size_t)(end - (const char *)text->data);
		pthread_mutex_lock(&o->lock);
		watched_add(&o->sums, (const char *)text->data, n);
		pthread_mutex_unlock(&o->lock);
		text->len -= n + 1;
		memmove(text->data, end + 1, text->len);
	}
}

static bool one_start(struct watch_one *o, struct run *run, struct error *err)
{
	const struct serve_options *opts = o->server->o;
	_cleanup_free_ char *pid = xasprintf("%d", o->pid);
	struct run_args args = {0};

	run_arg2(&args, "gotap", "top");
	run_arg2(&args, "--json", "--brief");
	run_arg2(&args, "-p", pid);
	run_arg2(&args, "-e", WATCH_EVENTS);
	run_arg2(&args, "--stack-depth", "1");
	run_arg2(&args, "--budget", opts->watch_budget ? opts->watch_budget : WATCH_BUDGET);
	if (opts->proc_dir)
		run_arg2(&args, "--proc", opts->proc_dir);
	if (kernel_btf_file())
		run_arg2(&args, "--btf", kernel_btf_file());
	return !run_start(run, &args, NULL, err);
}

/* Records until the child ends. Returns its error, which the caller frees; NULL: it had none. */
static char *record(struct watch_one *o)
{
	struct patience p = { .client = -1, .answer = -1, .stop = o->server->stop,
			      .deadline = UINT64_MAX };
	struct run run = RUN_NONE;
	struct buf text = {0};
	struct error err;
	char piece[4096], *error;
	size_t n;

	if (!one_start(o, &run, &err))
		return xstrdup(err.text);
	while (run_read(&run, &p, piece, sizeof(piece), &n) == RUN_DATA) {
		buf_add(&text, piece, n);
		take_lines(o, &text);
		if (text.len > LINE_BYTES)
			break;
	}
	error = run.failed || text.len > LINE_BYTES ? run_error(&run) : NULL;
	run_end(&run);
	buf_free(&text);
	return error;
}

/* False: the server ends. */
static bool one_pause(const struct watch_one *o, unsigned int seconds)
{
	struct pollfd stop = { .fd = o->server->stop, .events = POLLIN };
	unsigned int i;

	for (i = 0; i < seconds && one_is_there(o); i++)
		if (poll(&stop, 1, 1000) > 0)
			return false;
	return true;
}

static bool has_stopped(const struct watch_one *o)
{
	struct pollfd stop = { .fd = o->server->stop, .events = POLLIN };

	return poll(&stop, 1, 0) > 0;
}

static void *one_main(void *one)
{
	struct watch_one *o = one;
	unsigned int seconds = FIRST_SECONDS;
	char *error;

	one_say(o, "is recorded for /metrics");
	while (one_is_there(o) && !has_stopped(o)) {
		error = record(o);
		/* it reports an error, too, if the program ends before the first interval does */
		if (has_stopped(o) || !one_is_there(o)) {
			free(error);
			break;
		}
		atomic_fetch_add(&o->failures, 1);
		one_say_failed(o, error ? error : xstrdup("it ended"), seconds);
		pthread_mutex_lock(&o->lock);
		watched_again(&o->sums);
		pthread_mutex_unlock(&o->lock);
		if (!one_pause(o, seconds))
			break;
		seconds = 2 * seconds < MOST_SECONDS ? 2 * seconds : MOST_SECONDS;
	}
	atomic_store(&o->over, true);
	return NULL;
}

/* --- */

static void one_release(struct watch_one *o)
{
	pthread_mutex_destroy(&o->lock);
	watched_free(&o->sums);
	free(o->name);
	free(o->said);
	free(o);
}

struct watch_one *watch_one_start(struct server *s, pid_t pid, uint64_t start, const char *name)
{
	struct watch_one *o = xcalloc(1, sizeof(*o));
	pthread_attr_t attr;
	int r;

	o->server = s;
	o->pid = pid;
	o->start = start;
	o->name = xstrdup(name);
	pthread_mutex_init(&o->lock, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	r = pthread_create(&o->thread, &attr, one_main, o);
	pthread_attr_destroy(&attr);
	if (!r)
		return o;
	one_release(o);
	return NULL;
}

void watch_one_free(struct watch_one *o)
{
	pthread_join(o->thread, NULL);
	one_release(o);
}

bool watch_one_is(const struct watch_one *o, pid_t pid, uint64_t start)
{
	return o->pid == pid && o->start == start;
}

bool watch_one_is_over(const struct watch_one *o)
{
	return atomic_load(&o->over);
}

unsigned int watch_one_failures(const struct watch_one *o)
{
	return atomic_load(&o->failures);
}

void watch_one_copy(struct watch_one *o, struct watched *ret)
{
	pthread_mutex_lock(&o->lock);
	watched_copy(ret, &o->sums);
	pthread_mutex_unlock(&o->lock);
}
