// SPDX-License-Identifier: Apache-2.0
/* exec: see exec.h. */
#define _GNU_SOURCE
#include "flight/exec.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flight/runner.h"

enum { WAITING = 16, LOOK_NS = 20000000 };

struct exec {
	struct runner runner;
	exec_say_fn *say;
	void *ctx;
	pthread_t thread;
	pthread_mutex_t lock;	/* of the members below */
	pthread_cond_t more;
	char *waiting[WAITING];
	unsigned int first, n;
	bool over;
	uint64_t deadline;	/* for the rest of the queue, once the recording is over */
	uint64_t missed;
	bool failed;		/* the last command failed, and a line about it was printed */
};

/* --- one run --- */

static bool is_too_late(struct exec *e)
{
	bool late;

	pthread_mutex_lock(&e->lock);
	late = e->over && now_ns() > e->deadline;
	pthread_mutex_unlock(&e->lock);
	return late;
}

/* Waits for the command. False: it still runs at the deadline; gotap then ends without it. */
static bool exec_wait(struct exec *e, int *status)
{
	while (!runner_has_ended(&e->runner, status)) {
		if (is_too_late(e))
			return false;
		sleep_ns(LOOK_NS);
	}
	return true;
}

static void say_failure(struct exec *e, const char *path, int status)
{
	char *text;

	if (e->failed)
		return;
	e->failed = true;
	if (WIFSIGNALED(status))
		text = xasprintf(
			"the command of --exec was ended by signal %d for '%s'; the recording "
			"goes on",
			WTERMSIG(status), path);
	else
		text = xasprintf(
			"the command of --exec failed with status %d for '%s'; the recording "
			"goes on",
			WEXITSTATUS(status), path);
	e->say(e->ctx, text);
	free(text);
}

static void flight_run(struct exec *e, const char *path)
{
	int status = 0;

	if (!runner_begin(&e->runner, path))
		status = 126 << 8;
	else if (!exec_wait(e, &status))
		e->say(e->ctx, "the command of --exec still runs, and goes on without gotap");
	if (status)
		say_failure(e, path, status);
	else
		e->failed = false;
}

/* --- the thread --- */

/* Takes the next name; NULL: the recording is over. */
static char *exec_next(struct exec *e)
{
	char *path = NULL;

	pthread_mutex_lock(&e->lock);
	while (!e->n && !e->over)
		pthread_cond_wait(&e->more, &e->lock);
	if (e->n) {
		path = e->waiting[e->first];
		e->first = (e->first + 1) % WAITING;
		e->n--;
	}
	pthread_mutex_unlock(&e->lock);
	return path;
}

static void exec_miss(struct exec *e)
{
	bool first;

	pthread_mutex_lock(&e->lock);
	first = !e->missed++;
	pthread_mutex_unlock(&e->lock);
	if (first)
		e->say(e->ctx, "the command of --exec is slower than snapshots come: it does not "
			       "run for all "
			       "of them");
}

static void *run_all(void *ctx)
{
	struct exec *e = ctx;
	char *path;

	while ((path = exec_next(e))) {
		if (is_too_late(e))
			exec_miss(e);
		else
			flight_run(e, path);
		free(path);
	}
	return NULL;
}

/* exec_prepare() starts the process, exec_new() takes it over. */
static struct runner prepared;

int exec_prepare(const char *command, void (*in_child)(void), struct error *err)
{
	char *all = xasprintf("%s \"$@\"", command);
	int r = runner_start(&prepared, all, in_child, err);

	free(all);
	return r;
}

int exec_new(struct exec **ret, const char *command, void (*in_child)(void), exec_say_fn *say,
	     void *ctx, struct error *err)
{
	struct exec *e = xcalloc(1, sizeof(*e));
	int r = prepared.pid ? 0 : exec_prepare(command, in_child, err);

	e->runner = prepared;
	prepared = (struct runner){0};
	e->say = say;
	e->ctx = ctx;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->more, NULL);
	if (!r) {
		r = -thread_start(&e->thread, run_all, e);
		if (r)
			error_set(err, r, "cannot start a thread: %s", strerror(-r));
	}
	if (r) {
		runner_end(&e->runner);
		free(e);
		return r;
	}
	*ret = e;
	return 0;
}

void exec_run(struct exec *e, const char *path)
{
	bool full;

	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	full = e->n == WAITING;
	if (!full) {
		e->waiting[(e->first + e->n++) % WAITING] = xstrdup(path);
		pthread_cond_signal(&e->more);
	}
	pthread_mutex_unlock(&e->lock);
	if (full)
		exec_miss(e);
}

uint64_t exec_missed(struct exec *e)
{
	uint64_t ret;

	if (!e)
		return 0;
	pthread_mutex_lock(&e->lock);
	ret = e->missed;
	pthread_mutex_unlock(&e->lock);
	return ret;
}

uint64_t exec_free(struct exec *e, uint64_t patience)
{
	uint64_t missed;

	if (!e)
		return 0;
	pthread_mutex_lock(&e->lock);
	e->over = true;
	e->deadline = now_ns() + patience;
	pthread_cond_signal(&e->more);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	missed = e->missed;
	pthread_cond_destroy(&e->more);
	pthread_mutex_destroy(&e->lock);
	runner_end(&e->runner);
	free(e);
	return missed;
}
