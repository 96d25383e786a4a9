// SPDX-License-Identifier: Apache-2.0
/* child: its signals, its parent's, and the descriptors that it closes. */
#define _GNU_SOURCE
#include "base/child.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static bool blocks(int signal)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return sigismember(&blocked, signal);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* True if the child says so. */
static bool in_child(bool (*holds)(void))
{
	pid_t pid = fork_deaf();
	int status = -1;

	if (!pid)
		_exit(!holds());
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool is_deaf(void)
{
	return blocks(SIGINT) && blocks(SIGTERM) && blocks(SIGHUP) && blocks(SIGUSR1);
}

static void the_child_is_deaf_and_the_parent_is_as_before(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &one, NULL);
	CHECK(in_child(is_deaf));
	CHECK(blocks(SIGUSR1) && !blocks(SIGINT) && !blocks(SIGTERM));
}

enum { LOW = 50, HIGH = 60 };

static bool closes_a_range(void)
{
	close_between(LOW + 1, HIGH - 1);
	return is_open(LOW) && !is_open(LOW + 1) && !is_open(HIGH - 1) && is_open(HIGH);
}

static bool closes_the_rest(void)
{
	close_between(LOW + 1, INT_MAX);
	return is_open(0) && is_open(LOW) && !is_open(LOW + 1) && !is_open(HIGH);
}

static bool closes_nothing(void)
{
	close_between(LOW, LOW - 1);
	return is_open(LOW - 1) && is_open(LOW);
}

static void descriptors_are_closed(void)
{
	int fd;

	for (fd = LOW - 1; fd <= HIGH; fd++)
		CHECK(dup2(0, fd) == fd);
	CHECK(in_child(closes_a_range));
	CHECK(in_child(closes_the_rest));
	CHECK(in_child(closes_nothing));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_child_is_deaf_and_the_parent_is_as_before),
		UNIT(descriptors_are_closed),
		{0} });
}
