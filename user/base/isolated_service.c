// SPDX-License-Identifier: Apache-2.0
/* isolated_service: see isolated_service.h. */
#define _GNU_SOURCE
#include "base/isolated_service.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/isolated.h"
#include "base/isolated_internal.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { FUZZED = 1 };
#else
enum { FUZZED = 0 };
#endif

struct isolated_service {
	struct isolated_service_work work;
	pid_t pid;		/* 0: no process; @state is in this one */
	void *state;
	int channel;
	int64_t left_ms;	/* CPU time that the child may still use */
	struct error failure;
};

/* The child's message after its start. */
struct begun {
	int32_t code;
	struct error err;
};

/* --- the child --- */

/* False: gotap has ended. The filter of system calls of the child does not allow poll(). */
static bool read_question(void *question, size_t n)
{
	char *at = question;
	ssize_t r;

	for (; n; at += r, n -= (size_t)r) {
		r = read(1, at, n);
		if (r <= 0)
			return false;
	}
	return true;
}

static void answer_questions(const struct isolated_service_work *work, void *state)
{
	uint8_t question[ISOLATED_QUESTION];
	struct buf answer = {0};
	uint64_t size;

	while (read_question(question, work->question)) {
		buf_empty(&answer, work->longest);
		work->answer(state, question, &answer);
		size = answer.len;
		isolated_write(&size, sizeof(size));
		isolated_write(answer.data, answer.len);
	}
}

static _Noreturn void service_child(const struct isolated_service_work *work, int channel)
{
	struct begun begun = {0};
	void *state = NULL;

	prctl(PR_SET_NAME, work->name);
	/*
	 * One second more than the limit by which gotap gives up with a message; then the kernel
	 * ends the child.
	 */
	begun.code = isolated_enter(channel, work->fd, ISOLATED_SERVICE_SECONDS + 1, &begun.err);
	if (!begun.code)
		begun.code = work->open(work->ctx, &state, &begun.err);
	isolated_write(&begun, sizeof(begun));
	if (!begun.code)
		answer_questions(work, state);
	_exit(0);
}

/* --- gotap's side --- */

static int service_fail(struct isolated_service *s, int r)
{
	if (r == -ETIMEDOUT)
		return error_set(&s->failure, r, "reading it took too long");
	return error_set(&s->failure, r, "reading it failed: the file is broken beyond reading");
}

/* The wait for one answer. It ends by the CPU time of the child or by the clock. */
struct service_wait {
	pid_t pid;
	int64_t begin_ms, cpu_until_ms, until_ms;
};

/*
 * CPU time of the child. If the kernel does not return it since the child has ended, the time since
 * @begin_ms.
 */
static int64_t service_cpu_ms(pid_t pid, int64_t begin_ms)
{
	struct timespec t;
	clockid_t id;

	if (clock_getcpuclockid(pid, &id) || clock_gettime(id, &t))
		return isolated_now_ms() - begin_ms;
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * The time left, in ms. The child has one thread, so an amount of CPU time takes at least as long
 * on the clock.
 */
static int64_t service_left(const void *ctx)
{
	const struct service_wait *w = ctx;
	int64_t cpu = w->cpu_until_ms - service_cpu_ms(w->pid, w->begin_ms);
	int64_t left = w->until_ms - isolated_now_ms();

	return cpu < left ? cpu : left;
}

/* Reads, and subtracts the CPU time that the child used from its remaining time. */
static int read_in_time(struct isolated_service *s, void *data, size_t n)
{
	unsigned int seconds = s->work.seconds ? s->work.seconds : ISOLATED_SECONDS;
	int64_t most = (int64_t)seconds * 1000, begin = isolated_now_ms();
	int64_t used = service_cpu_ms(s->pid, begin);
	struct service_wait w = { .pid = s->pid, .begin_ms = begin };
	int r;

	if (s->left_ms < most)
		most = s->left_ms;
	w.cpu_until_ms = used + most;
	w.until_ms = begin + most * ISOLATED_SERVICE_PATIENCE;
	r = isolated_read(s->channel, data, n, service_left, &w);
	s->left_ms -= service_cpu_ms(s->pid, begin) - used;
	return r;
}

static int wait_for_begin(struct isolated_service *s, struct error *err)
{
	struct begun begun;
	int r = read_in_time(s, &begun, sizeof(begun));

	if (r)
		return error_set(err, service_fail(s, r), "%s", s->failure.text);
	begun.err.text[sizeof(begun.err.text) - 1] = 0;
	return begun.code ? error_set(err, begun.code < 0 ? begun.code : -EBADMSG, "%s",
				      begun.err.text) :
			    0;
}

static int service_start_child(struct isolated_service *s, struct error *err)
{
	_cleanup_close_ int other = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	s->channel = ends[0];
	other = ends[1];
	s->pid = fork_deaf();
	if (!s->pid)
		service_child(&s->work, other);
	if (s->pid < 0) {
		s->pid = 0;
		return error_set(err, -errno, "cannot make a process: %s", strerror(errno));
	}
	close(take_fd(&other));
	return wait_for_begin(s, err);
}

int isolated_service_start(struct isolated_service **ret, const struct isolated_service_work *work,
			   struct error *err)
{
	struct isolated_service *s = xcalloc(1, sizeof(*s));
	int r;

	s->work = *work;
	s->channel = -1;
	s->left_ms = ISOLATED_SERVICE_SECONDS * 1000;
	if (FUZZED || isolated_inside())
		r = work->open(work->ctx, &s->state, err);
	else
		r = service_start_child(s, err);
	if (r)
		isolated_service_end(s);
	else
		*ret = s;
	return r;
}

static int ask_child(struct isolated_service *s, const void *question, struct buf *answer)
{
	ssize_t sent = send(s->channel, question, s->work.question, MSG_NOSIGNAL | MSG_DONTWAIT);
	uint64_t size;
	int r;

	if (sent != (ssize_t)s->work.question)
		return -EBADMSG;
	r = read_in_time(s, &size, sizeof(size));
	if (r || size > s->work.longest)
		return r ? r : -EBADMSG;
	buf_reserve(answer, size);
	answer->len = size;
	return read_in_time(s, answer->data, size);
}

int isolated_service_ask(struct isolated_service *s, const void *question, struct buf *answer,
			 struct error *err)
{
	int r;

	answer->len = 0;
	if (!s->pid) {
		s->work.answer(s->state, question, answer);
		return 0;
	}
	if (!s->failure.code) {
		r = ask_child(s, question, answer);
		if (r)
			service_fail(s, r);
	}
	return s->failure.code ? error_set(err, s->failure.code, "%s", s->failure.text) : 0;
}

/*
 * gotap may have dropped the right to kill a process of another user. The child then ends when its
 * channel closes, or when it has used its CPU time. gotap does not wait for the child.
 */
static void end_child(struct isolated_service *s)
{
	int options = kill(s->pid, SIGKILL) ? WNOHANG : 0;

	while (waitpid(s->pid, NULL, options) < 0 && errno == EINTR)
		;
}

void isolated_service_end(struct isolated_service *s)
{
	if (!s)
		return;
	cleanup_close(&s->channel);
	if (s->pid)
		end_child(s);
	else if (s->state)
		s->work.close(s->state);
	free(s);
}
