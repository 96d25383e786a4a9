// SPDX-License-Identifier: Apache-2.0
/*
 * take: one process: whether `gotap record --follow` and `--name` record it, and the start of its
 * recorder. See internal.h.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/follow/internal.h"
#include "cmd/follow/name.h"
#include "cmd/follow/recorder.h"

/* Is it recorded already, by a recorder that was started after the exec? */
static bool take_is_covered(const struct follower *s, const struct follow_exec *e)
{
	size_t i;

	for (i = 0; i < s->recorders.len; i++)
		if (recorder_at(s, i)->target == e->pid && recorder_at(s, i)->since >= e->time)
			return true;
	return false;
}

static char *take_output_of(struct follower *s, const struct follow_exec *e, const char *exe)
{
	if (s->o->flight.time)		/* the recorder's snapshots have names of their own */
		return xstrdup(s->o->flight.pattern);
	return s->o->follow || s->o->wait || s->o->pids.len > 1 ?
		       follow_name_output(s->o->output, &s->number, e->pid, exe) :
		       xstrdup(s->o->output ? s->o->output : "trace.out");
}

void follow_tell_begin(const struct follower *s, const struct recorder *r)
{
	if (!s->o->quiet && !s->o->json)
		show_printf(stderr, "gotap: process %d (%s) is recorded %s, into '%s'\n", r->target,
			    follow_base_name(r->exe),
			    r->from_start ? "from its first goroutine on" : "as it runs",
			    r->output);
}

static bool take_begin(struct follower *s, const struct follow_exec *e, const char *exe)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	struct error err;

	s->begun++;
	*r = (struct recorder){ .target = e->pid, .exe = xstrdup(exe),
				.output = take_output_of(s, e, exe),
				.held = s->follow && e->held && follow_hold(s->follow, e->pid) };
	if (recorder_start(r, s->o, &err)) {
		cmd_fail(&err);
		s->report.failed++;
		recorder_free(r);
		free(r);
		return false;
	}
	*(struct recorder **)vec_push(&s->recorders, sizeof(r)) = r;
	s->found |= s->has_name;
	return true;
}

bool follow_is_ours(const struct follower *s, pid_t pid)
{
	enum { DEPTH = 1000 };
	struct procfs_usage use;
	int i;

	for (i = 0; i < DEPTH && pid > 0 && pid != s->command.pid; i++) {
		if (pid == getpid())
			return true;
		if (procfs_usage(&s->fs, pid, &use))
			return false;
		pid = use.parent;
	}
	return false;
}

bool follow_is_meant(struct follower *s, const struct follow_exec *e, const char *exe)
{
	bool is_followed = s->o->follow && follow_has(s->follow, e->pid);

	s->has_name = s->o->name && follow_name_matches(s->o->name, &s->fs, e->pid, exe) &&
		      !follow_is_ours(s, e->pid);
	if (s->has_name && s->o->follow && !is_followed && follow_add(s->follow, e->pid, NULL))
		s->report.not_followed++;
	return (s->has_name || is_followed) &&
	       (!s->o->program || !fnmatch(s->o->program, follow_base_name(exe), 0));
}

bool follow_has_all(const struct follower *s)
{
	return !s->o->follow && !s->o->wait && s->found;
}

bool follow_take(struct follower *s, const struct follow_exec *e)
{
	_cleanup_free_ char *exe = follow_exe(&s->fs, e->pid);

	if (!exe || s->stopping || follow_has_all(s) || take_is_covered(s, e) ||
	    !follow_is_meant(s, e, exe) || !go_files_run(s->files, &s->fs, e->pid))
		return false;
	if (s->recorders.len >= s->o->most) {
		s->report.skipped++;
		return false;
	}
	return take_begin(s, e, exe);
}

void follow_take_pids(struct follower *s)
{
	size_t i;

	for (i = 0; i < s->o->pids.len && !s->stopping; i++) {
		struct follow_exec e = { .pid = *vec_at(&s->o->pids, pid_t, i) };
		_cleanup_free_ char *exe = follow_exe(&s->fs, e.pid);

		take_begin(s, &e, exe ? exe : "?");
	}
	s->found = true;
}

void follow_take_execs(struct follower *s)
{
	struct follow_exec e;

	while (s->follow && follow_next(s->follow, &e))
		if (!follow_take(s, &e) && e.held)
			follow_release(s->follow, e.pid);
}
