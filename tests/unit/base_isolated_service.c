// SPDX-License-Identifier: Apache-2.0
/* A process that answers questions about a hostile file: its privileges, its faults, its lies, its end. */
#define _GNU_SOURCE
#include "base/isolated_service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

enum question { HELLO, PRIVILEGES, LONGEST, TOO_LONG, CRASH, LOOP };

enum { MOST = 1 << 20 };

/* For one answer: more than a busy machine needs. */
static unsigned int seconds = 60;

static int begin(void *ctx, void **state, struct error *err)
{
	*state = ctx;
	return ctx ? 0 : error_set(err, -ENOENT, "nothing to begin with");
}

static void answer_privileges(struct buf *ret)
{
	bool opened = open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0;
	bool killed = !kill(getppid(), 0), forked = fork() >= 0;

	buf_printf(ret, "%d%d%d%d", opened, killed, forked, !setuid(0));
}

static void answer(void *state, const void *question, struct buf *ret)
{
	volatile int forever = 1;

	switch (*(const int *)question) {
	case HELLO: buf_printf(ret, "%s", (const char *)state); break;
	case PRIVILEGES: answer_privileges(ret); break;
	case LONGEST: buf_reserve(ret, MOST); ret->len = MOST; break;
	case TOO_LONG: buf_reserve(ret, MOST + 1); ret->len = MOST + 1; break;
	case CRASH: raise(SIGSEGV); abort();
	case LOOP: while (forever) ;
	}
}

static void end(void *state)
{
}

static struct isolated_service *start(const char *text, struct error *err)
{
	struct isolated_service_work work = {
		.name = "unit", .open = begin, .answer = answer, .close = end, .ctx = (void *)text,
		.fd = -1, .question = sizeof(int), .longest = MOST, .seconds = seconds,
	};
	struct isolated_service *s = NULL;

	*err = (struct error){0};
	isolated_service_start(&s, &work, err);
	return s;
}

static void answers_many_questions(void)
{
	struct error err;
	struct isolated_service *s = start("hello", &err);
	struct buf a = {0};
	int i, q = HELLO;

	for (i = 0; i < 200; i++) {
		CHECK_EQ(isolated_service_ask(s, &q, &a, &err), 0);
		CHECK(a.len == 5 && !memcmp(a.data, "hello", 5));
	}
	q = LONGEST;
	CHECK_EQ(isolated_service_ask(s, &q, &a, &err), 0);
	CHECK_EQ(a.len, MOST);
	isolated_service_end(s);
	buf_free(&a);
	/* and nothing is left of it */
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void has_no_privileges(void)
{
	struct error err;
	struct isolated_service *s = start("hello", &err);
	struct buf a = {0};
	int q = PRIVILEGES;

	CHECK_EQ(isolated_service_ask(s, &q, &a, &err), 0);
	CHECK(a.len == 4 && !memcmp(a.data, "0000", 4));
	isolated_service_end(s);
	buf_free(&a);
}

/* The result of @question, then of one that it would have answered before. */
static void fails_for_good(int question, int r)
{
	struct error err;
	struct isolated_service *s = start("hello", &err);
	struct buf a = {0};
	int q = HELLO;

	CHECK_EQ(isolated_service_ask(s, &question, &a, &err), r);
	CHECK(*err.text);
	CHECK_EQ(isolated_service_ask(s, &q, &a, &err), r);
	isolated_service_end(s);
	buf_free(&a);
}

static void faults_are_final(void)
{
	struct error err;

	CHECK(!start(NULL, &err));
	CHECK_EQ(err.code, -ENOENT);
	CHECK_STR(err.text, "nothing to begin with");
	fails_for_good(CRASH, -EBADMSG);
	fails_for_good(TOO_LONG, -EBADMSG);
}

/* The one child of this process. */
static pid_t only_child(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid = 0;

	CHECK(f && fscanf(f, "%d", &pid) == 1);
	if (f)
		fclose(f);
	return pid;
}

/* Lets @pid run again after a second and a half. */
static pid_t continue_later(pid_t pid)
{
	pid_t helper = fork();

	if (!helper) {
		usleep(1500000);
		_exit(!!kill(pid, SIGCONT));
	}
	return helper;
}

/* It gets no CPU for longer than an answer may take: that is the machine's time, not its own. */
static void time_is_that_of_its_cpu(void)
{
	int q = HELLO, status = -1;
	struct buf a = {0};
	struct error err;
	struct isolated_service *s;
	pid_t pid, helper;

	seconds = 1;
	s = start("hello", &err);
	pid = only_child();
	CHECK(pid > 0 && !kill(pid, SIGSTOP));
	helper = continue_later(pid);
	CHECK_EQ(isolated_service_ask(s, &q, &a, &err), 0);
	CHECK(waitpid(helper, &status, 0) == helper && !status);
	isolated_service_end(s);
	buf_free(&a);
	seconds = 60;
}

static void time_is_bounded(void)
{
	time_t begin_time = time(NULL);

	seconds = 1;
	fails_for_good(LOOP, -ETIMEDOUT);
	/* 60 s more than the limit: on a busy machine the test itself may get no CPU for a while. */
	CHECK(time(NULL) - begin_time < 60);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(answers_many_questions),
		UNIT(has_no_privileges),
		UNIT(faults_are_final),
		UNIT(time_is_that_of_its_cpu),
		UNIT(time_is_bounded),
		{0} });
}
