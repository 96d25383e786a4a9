// SPDX-License-Identifier: Apache-2.0
/* prober: it does what it is asked, and outlives whoever started it by what it has to do at the end. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/prober.h"
#include "base/clock.h"

enum { PATIENCE_MS = 20000 };

static int end_pipe[2];		/* the prober writes a byte at its end */

static int serve(void *ctx, const struct prober_request *rq, struct error *err)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	if (rq->what == 1)
		return error_set(err, -EPERM, "not allowed: %u", rq->parts);
	if (rq->what == 2)
		return sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGINT) && getsid(0) == getpid() ?
		       0 : error_set(err, -EINVAL, "a signal reaches it");
	return 0;
}

static void end_job(void *ctx)
{
	if (write(end_pipe[1], "e", 1) != 1)
		_exit(1);
}

static bool has_probes(void *ctx)
{
	return ctx;
}

/* @probes: it has some from the start on. */
static void start_with(struct prober *p, const char *probes, unsigned int patience_ms)
{
	struct prober_job job = { .serve = serve, .end = end_job, .has_probes = has_probes,
				  .ctx = (void *)probes, .patience_ms = patience_ms };

	*(int *)vec_push(&job.keep, sizeof(int)) = end_pipe[1];
	CHECK(!prober_start(p, &job, NULL));
	vec_free(&job.keep);
}

static void start(struct prober *p)
{
	start_with(p, NULL, 100);
}

static int ask(struct prober *p, unsigned int what, unsigned int parts, struct error *err)
{
	return prober_ask(p, &(struct prober_request){ .what = what, .parts = parts }, err);
}

/* The byte, or that nobody holds the other end any more. */
static ssize_t read_within(int fd, char *c)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, PATIENCE_MS) == 1 ? read(fd, c, 1) : -1;
}

static void it_does_what_it_is_asked(void)
{
	struct prober p = {0};
	struct error err = {0};
	char c = 0;

	CHECK(!pipe(end_pipe));
	start(&p);
	CHECK(prober_lives(&p));
	CHECK_EQ(ask(&p, 0, 0, &err), 0);
	CHECK_EQ(ask(&p, 1, 7, &err), -EPERM);
	CHECK_STR(err.text, "not allowed: 7");
	CHECK_EQ(ask(&p, 2, 0, &err), 0);
	prober_end(&p);
	CHECK(read_within(end_pipe[0], &c) == 1 && c == 'e');
	close(end_pipe[0]);
	close(end_pipe[1]);
}

/* Its output is a pipe: whoever reads that sees its end though the prober may still have to do. */
static void it_holds_no_file_that_it_does_not_need(void)
{
	struct prober p = {0};
	int out[2];
	char c;

	CHECK(!pipe(end_pipe) && !pipe(out));
	start(&p);
	CHECK_EQ(ask(&p, 0, 0, NULL), 0);
	close(out[1]);
	CHECK(read_within(out[0], &c) == 0);
	prober_end(&p);
	close(out[0]);
	close(end_pipe[0]);
	close(end_pipe[1]);
}

static void it_ends_its_work_when_gotap_is_killed(void)
{
	struct prober p = {0};
	char c = 0;
	pid_t gotap;

	CHECK(!pipe(end_pipe));
	gotap = fork();
	if (!gotap) {
		start(&p);
		ask(&p, 0, 0, NULL);
		raise(SIGKILL);
	}
	close(end_pipe[1]);
	CHECK(read_within(end_pipe[0], &c) == 1 && c == 'e');
	CHECK(read_within(end_pipe[0], &c) == 0);	/* and ends */
	CHECK(waitpid(gotap, NULL, 0) == gotap);
	close(end_pipe[0]);
}

static void another_child_of_gotap_does_not_keep_it(void)
{
	struct prober p = {0};
	char c = 0;
	pid_t gotap, child;
	int child_pid[2];

	CHECK(!pipe(end_pipe) && !pipe(child_pid));
	gotap = fork();
	if (!gotap) {
		start(&p);
		child = fork();		/* with gotap's end of the socket */
		if (!child) {
			close(end_pipe[1]);
			pause();
		}
		if (write(child_pid[1], &child, sizeof(child)) == sizeof(child))
			raise(SIGKILL);
	}
	close(end_pipe[1]);
	CHECK(read(child_pid[0], &child, sizeof(child)) == sizeof(child));
	CHECK(read_within(end_pipe[0], &c) == 1 && c == 'e');
	kill(child, SIGKILL);
	CHECK(waitpid(gotap, NULL, 0) == gotap);
	close(end_pipe[0]);
	close(child_pid[0]);
	close(child_pid[1]);
}

static void that_it_was_killed_is_known(void)
{
	struct prober p = {0};
	struct error err = {0};

	CHECK(!pipe(end_pipe));
	start(&p);
	CHECK_EQ(ask(&p, 0, 0, &err), 0);
	kill(p.pid, SIGKILL);
	waitid(P_PID, (id_t)p.pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	CHECK(!prober_lives(&p));
	CHECK(!prober_wait(&p));
	CHECK_EQ(ask(&p, 0, 0, &err), -EPIPE);
	CHECK_EQ(ask(&p, 0, 0, &err), -EPIPE);
	CHECK(!prober_lives(&p) && !prober_gave_up(&p));
	prober_end(&p);
	close(end_pipe[0]);
	close(end_pipe[1]);
}

static void it_gives_up_a_gotap_that_is_stopped(void)
{
	struct prober p = {0};
	struct error err = {0};
	char c = 0;

	CHECK(!pipe(end_pipe));
	start_with(&p, "some", 100);
	CHECK(read_within(end_pipe[0], &c) == 1 && c == 'e');
	CHECK(prober_gave_up(&p));
	CHECK(!prober_lives(&p));
	CHECK(prober_wait(&p));
	CHECK_EQ(ask(&p, 0, 0, &err), -EPIPE);
	CHECK(strstr(err.text, "gotap was stopped"));
	prober_end(&p);
	close(end_pipe[0]);
	close(end_pipe[1]);
}

/* The longest time between two calls of next(), in ns. */
struct pauses {
	uint64_t last, longest;
};

static void next(struct pauses *p)
{
	uint64_t now = now_ns();

	if (p->last && now - p->last > p->longest)
		p->longest = now - p->last;
	p->last = now;
}

/*
 * The prober gives up after 2 s without a prober_beat(). If other programs kept the CPU from this test for so long, it
 * may give up, and the case asserts nothing.
 */
static void it_stays_without_probes_and_with_a_gotap_that_runs(void)
{
	const uint64_t enough = 1500000000;
	struct prober idle = {0}, busy = {0};
	struct pauses pauses = {0};
	bool stays;
	int i;

	CHECK(!pipe(end_pipe));
	start_with(&idle, NULL, 10);
	next(&pauses);
	start_with(&busy, "some", 2000);
	for (i = 0; i < 50; i++) {
		usleep(50 * 1000);
		prober_beat(&busy);
		next(&pauses);
	}
	CHECK(prober_lives(&idle) && !prober_gave_up(&idle));
	stays = prober_lives(&busy) && !prober_gave_up(&busy) && !ask(&busy, 0, 0, NULL);
	next(&pauses);
	CHECK(stays || pauses.longest > enough);
	CHECK_EQ(ask(&idle, 0, 0, NULL), 0);
	prober_end(&idle);
	prober_end(&busy);
	close(end_pipe[0]);
	close(end_pipe[1]);
}

static void without_a_prober_nothing_is_written(void)
{
	struct prober p = {0};
	int pair[2];
	char c;

	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair));
	p.socket = pair[1];
	CHECK_EQ(ask(&p, 0, 0, NULL), -EPIPE);
	CHECK(read(pair[0], &c, 1) < 0 && errno == EAGAIN);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(it_does_what_it_is_asked),
		UNIT(it_holds_no_file_that_it_does_not_need),
		UNIT(it_ends_its_work_when_gotap_is_killed),
		UNIT(another_child_of_gotap_does_not_keep_it),
		UNIT(that_it_was_killed_is_known),
		UNIT(it_gives_up_a_gotap_that_is_stopped),
		UNIT(it_stays_without_probes_and_with_a_gotap_that_runs),
		UNIT(without_a_prober_nothing_is_written),
		{0}
	});
}
