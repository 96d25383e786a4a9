// SPDX-License-Identifier: Apache-2.0
/*
 * follow: see follow.h. In: execs of the processes that are followed (follow/follow.h). For each
 * that runs a Go program a recorder is started, at most o->most at a time; the process is held
 * until the recorder's probes are there.
 */
#define _GNU_SOURCE
#include "cmd/follow/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/follow/internal.h"
#include "cmd/follow/name.h"
#include "cmd/follow/recorder.h"
#include "cmd/record/signals.h"
#include "proc/privilege.h"

enum { TICK_MS = 50 };
static const uint64_t SECOND_NS = 1000000000;

/* --- recorders --- */

static void follower_let_go(struct follower *s, struct recorder *r)
{
	if (!r->held)
		return;
	r->held = false;
	follow_release(s->follow, r->target);
}

/*
 * Looks whether the recording has begun: then its recorder has sent a byte. That lets a held
 * program go on; so does a recorder that has ended, or is too slow. The line that names the
 * recording is printed after that: the program must not wait for a slow reader of stderr.
 */
static void look_at_begin(struct follower *s, struct recorder *r)
{
	ssize_t n;
	char byte;

	if (r->begun)
		return;
	n = recv(r->socket, &byte, 1, MSG_DONTWAIT);
	if (n >= 0 || errno != EAGAIN) {
		r->begun = true;
		follower_let_go(s, r);
		if (n > 0)
			follow_tell_begin(s, r);
	} else if (r->held && now_ns() - r->since > RECORDER_PATIENCE * SECOND_NS) {
		/* the program runs without its probes: the trace would lack its begin */
		kill(r->pid, SIGKILL);
		r->gave_up = true;
		follower_let_go(s, r);
	}
}

static void look_at_recorders(struct follower *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->recorders.len; i++) {
		struct recorder *r = recorder_at(s, i);

		recorder_look(r);
		look_at_begin(s, r);
		if (!r->ended) {
			follow_report_look(r, s->o);
			*vec_at(&s->recorders, struct recorder *, kept++) = r;
			continue;
		}
		follower_let_go(s, r);
		follow_report_take(&s->report, r, s->o);
		recorder_free(r);
		free(r);
	}
	s->recorders.len = kept;
}

static void signal_recorders(struct follower *s, int sig)
{
	size_t i;

	for (i = 0; i < s->recorders.len; i++)
		kill(recorder_at(s, i)->pid, sig);
}

/* --- all of it --- */

static bool follower_is_over(const struct follower *s)
{
	if (s->recorders.len)
		return false;
	if (s->stopping || follow_has_all(s))
		return true;
	if (s->o->wait || (s->o->name && !s->found))
		return false;
	return !follow_any(s->follow);
}

/*
 * The time of several -p begins when all recordings have: on a busy machine one can be ready when
 * the time of another would be over.
 */
static void look_at_duration(struct follower *s)
{
	bool all = true;
	size_t i;

	for (i = 0; i < s->recorders.len && !s->timed; i++) {
		const struct recorder *r = recorder_at(s, i);

		all &= r->begun || now_ns() - r->since > RECORDER_PATIENCE * SECOND_NS;
	}
	if (s->timed || !all)
		return;
	s->timed = true;
	s->begin = now_ns();
}

static void look_at_signals(struct follower *s)
{
	bool late = s->o->seconds > 0 && s->timed &&
		    (double)(now_ns() - s->begin) / 1e9 >= s->o->seconds;

	if (!s->stopping && (late || signals_stop())) {
		s->stopping = true;
		signal_recorders(s, SIGTERM);
	}
	if (!s->gave_up && signals_give_up()) {
		s->gave_up = true;
		signal_recorders(s, SIGTERM);
	}
	if (signals_snapshot())		/* with --flight alone */
		signal_recorders(s, SIGUSR1);
}

static void wait_for_work(struct follower *s)
{
	size_t i, n = 1;
	struct pollfd *fds = xcalloc(s->recorders.len + 1, sizeof(*fds));

	fds[0] = (struct pollfd){ .fd = s->follow ? follow_fd(s->follow) : -1, .events = POLLIN };
	for (i = 0; i < s->recorders.len; i++)
		if (!recorder_at(s, i)->begun)
			fds[n++] = (struct pollfd){ .fd = recorder_at(s, i)->socket,
						    .events = POLLIN };
	poll(fds, n, TICK_MS);
	free(fds);
}

static void follower_run(struct follower *s)
{
	while (!follower_is_over(s)) {
		wait_for_work(s);
		look_at_recorders(s);
		look_at_duration(s);
		look_at_signals(s);
		follow_take_execs(s);
		follow_command_look(&s->command);
	}
	follow_command_look(&s->command);
}

/* Processes of several -p alone: what they exec or start is not recorded. */
static bool follower_has_pids(const struct follower *s)
{
	return s->o->pids.len > 1 && !s->o->follow;
}

static int check_root(const struct follower *s, pid_t pid, struct error *err)
{
	struct procfs_status st;

	if (procfs_status(&s->fs, pid, "status", &st))
		return error_set(err, -ESRCH, "no process %d", pid);
	if (st.tgid == pid)
		return 0;
	return error_set(err, -EINVAL, "%d is a thread, not a process: give its process id, %d",
			 pid, st.tgid);
}

static int add_root(struct follower *s, pid_t pid, struct error *err)
{
	int r = check_root(s, pid, err);

	if (!r)
		r = follow_add(s->follow, pid, err);
	return r || follow_has(s->follow, pid) ?
		       r :
		       error_set(err, -ESRCH, "process %d has ended", pid);
}

/*
 * Adds the processes of -p or that of --container, or the command, if there is one. --name alone
 * has none.
 */
static int add_roots(struct follower *s, struct error *err)
{
	struct procfs fs;
	pid_t pid = 0;
	size_t i;
	int r = 0;

	if (s->o->command)
		return follow_command_start(&s->command, s->o->command, s->follow, err);
	for (i = 0; i < s->o->pids.len && !r; i++)
		r = add_root(s, *vec_at(&s->o->pids, pid_t, i), err);
	if (!r && s->o->pick.container)
		r = pick_process(&s->o->pick, &fs, &pid, err);
	return r || !pid ? r : add_root(s, pid, err);
}

static int follower_start(struct follower *s, struct error *err)
{
	_cleanup_free_ char *begin_of = s->o->name ? follow_name_begin(s->o->name) : NULL;
	int r = procfs_open(&s->fs, NULL, err);

	if (!r && !follower_has_pids(s))
		r = follow_open(&s->follow, begin_of, err);
	if (!r && !follower_has_pids(s))
		r = add_roots(s, err);
	if (!r)		/* the command has been forked, and keeps the rights of the user */
		r = privilege_keep_for_children(err);
	s->begin = now_ns();
	s->timed = s->follow != NULL;
	if (!r && follower_has_pids(s))
		follow_take_pids(s);
	else if (!r)
		r = follow_take_running(s, err);
	if (!r && s->o->name && !s->found && !s->o->quiet && !s->o->json)
		show_printf(stderr, "gotap: waits for a Go program of the name '%s'\n", s->o->name);
	return r;
}

static int follower_finish(struct follower *s, struct error *err)
{
	struct follow_counts counts = {0};

	if (s->follow)
		counts = follow_counts(s->follow);

	s->report.not_followed += counts.not_followed;
	s->report.not_reported = counts.not_reported;
	follow_report_end(&s->report, s->o);
	if (s->command.failure) {
		error_set(err, -s->command.failure, "cannot run '%s': %s", s->command.name,
			  strerror(s->command.failure));
		return cmd_fail(err);
	}
	if (s->begun)
		return s->report.failed ? EXIT_FAIL : EXIT_OK;
	if (signals_stop() && !s->o->command && s->o->name) {
		error_set(err, -ECHILD, "no Go program of the name '%s' was run: there is no trace",
			  s->o->name);
		return cmd_fail(err);
	}
	error_set(err, -ECHILD, "no Go program%s%s was run: there is no trace",
		  s->o->program ? " " : "", s->o->program ? s->o->program : "");
	return cmd_fail(err);
}

int follow_run(const struct record_options *o)
{
	struct follower s = { .o = o, .files = xcalloc(1, sizeof(*s.files)) };
	struct error err = {0};
	int status;

	vec_failure_status(o->command ? EXIT_LAUNCHER : EXIT_FAIL);
	signals_catch(o->command != NULL);
	if (o->flight.time)
		signals_catch_snapshot();
	if (follower_start(&s, &err)) {
		status = cmd_fail(&err);
		signal_recorders(&s, SIGTERM);
	} else {
		follower_run(&s);
		status = follower_finish(&s, &err);
	}
	follow_close(s.follow);
	status = follow_command_status(&s.command, o, status, s.stopping + s.gave_up);
	vec_free(&s.recorders);
	free(s.files);
	return status;
}
