// SPDX-License-Identifier: Apache-2.0
/*
 * running: what runs already when `gotap record --follow` or `--name` begins: descendants of the
 * process that was asked for, and programs of the name. For follow.c.
 */
#include "cmd/follow/internal.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/follow/name.h"

static bool descends(const struct follower *s, pid_t pid)
{
	struct procfs_usage use;

	return !procfs_usage(&s->fs, pid, &use) && follow_has(s->follow, use.parent);
}

/* Follows those of @pids whose parents are followed. *@ret: one of them was not followed before. */
static int add_children(struct follower *s, const struct vec *pids, bool *ret, struct error *err)
{
	size_t i;
	int r = 0;

	*ret = false;
	for (i = 0; i < pids->len && !r; i++) {
		pid_t pid = *vec_at(pids, pid_t, i);

		if (follow_has(s->follow, pid) || !descends(s, pid) || follow_is_ours(s, pid))
			continue;
		r = follow_add(s->follow, pid, err);
		*ret |= follow_has(s->follow, pid);
	}
	return r;
}

/*
 * Follows processes that were started before the kernel side knew their parents. Looks again
 * until nothing new is found, since some may start while this looks.
 */
static int add_descendants(struct follower *s, struct vec *pids, struct error *err)
{
	/* one look follows a whole chain of children, unless ids have wrapped around */
	enum { LOOKS = 1000 };
	bool more = s->o->follow;
	int i, r = 0;

	for (i = 0; i < LOOKS && more && !r; i++) {
		vec_free(pids);
		procfs_pids(&s->fs, pids);
		r = add_children(s, pids, &more, err);
	}
	return r;
}

static size_t named(struct follower *s, const struct vec *pids, struct buf *list)
{
	size_t i, n = 0;

	for (i = 0; i < pids->len; i++) {
		struct follow_exec e = { .pid = *vec_at(pids, pid_t, i) };
		_cleanup_free_ char *exe = follow_exe(&s->fs, e.pid);

		if (exe && follow_is_meant(s, &e, exe) && go_files_run(s->files, &s->fs, e.pid))
			buf_printf(list, "%s%d (%s)", n++ ? ", " : "", e.pid,
				   follow_base_name(exe));
	}
	return n;
}

/* -ENOTUNIQ if only one process was asked for, and several have the name. */
static int follow_running_check_one(struct follower *s, const struct vec *pids, struct error *err)
{
	struct buf list = {0};
	int r = 0;

	if (!s->o->follow && !s->o->wait && named(s, pids, &list) > 1)
		r = error_set(
			err, -ENOTUNIQ,
			"%.*s have the name '%s': give one of them with -p, or --follow for all",
			(int)list.len, list.data, s->o->name);
	buf_free(&list);
	return r;
}

/* Is a thread of this gotap stopping it at an exec? Then follow_take_execs() gets that exec. */
static bool is_being_caught(const struct follower *s, pid_t pid)
{
	struct procfs_status st;
	char task[64];

	if (procfs_status(&s->fs, pid, "status", &st) || !st.tracer)
		return false;
	snprintf(task, sizeof(task), "/proc/self/task/%d", st.tracer);
	return !access(task, F_OK);
}

/*
 * Takes all of @pids. A process that execs just now may show its new file before it is caught:
 * the sleep gives the thread that catches it time, so that the process is taken once, by its
 * exec.
 */
static void follow_running_take_all(struct follower *s, const struct vec *pids)
{
	static const struct timespec moment = { .tv_nsec = 20000000 };
	size_t i;

	nanosleep(&moment, NULL);
	for (i = 0; i < pids->len; i++) {
		struct follow_exec e = { .pid = *vec_at(pids, pid_t, i) };

		if (e.pid == s->command.pid || is_being_caught(s, e.pid))
			continue;
		follow_take_execs(s);
		follow_take(s, &e);
	}
}

int follow_take_running(struct follower *s, struct error *err)
{
	struct vec pids = {0};
	int r;

	procfs_pids(&s->fs, &pids);
	r = add_descendants(s, &pids, err);
	if (!r)
		r = follow_running_check_one(s, &pids, err);
	if (!r)
		follow_running_take_all(s, &pids);
	vec_free(&pids);
	return r;
}
