// SPDX-License-Identifier: Apache-2.0
/* What a parser of a hostile file can still do: read its file, answer, and end. */
#define _GNU_SOURCE
#include "base/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

struct answer {
	int opened, killed, forked, socket, memory_fd, uid_allowed;
	char text[16];
};

static int try_everything(void *ctx, void *answer, struct error *err)
{
	const int *fds = ctx;
	struct answer *a = answer;
	char c;

	a->opened = open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0;
	a->killed = !kill(getppid(), 0);
	a->forked = syscall(SYS_fork) >= 0;
	a->socket = socket(AF_INET, SOCK_STREAM, 0) >= 0;
	a->uid_allowed = !setuid(0);
	a->memory_fd = read(fds[1], &c, 1) >= 0;
	return pread(fds[0], a->text, 4, 1) == 4 ? 0 : error_set(err, -EIO, "cannot read");
}

static void nothing_but_its_file(void)
{
	char path[] = "/tmp/gotap-unit-XXXXXX";
	int fds[2] = { mkstemp(path), open("/proc/self/mem", O_RDONLY | O_CLOEXEC) };
	struct isolated_work work = {
		.run = try_everything, .ctx = fds, .fd = fds[0], .size = sizeof(struct answer),
	};
	struct answer a = {0};
	struct error err = {0};

	unlink(path);
	CHECK_EQ(write(fds[0], "xtext", 5), 5);
	CHECK_EQ(isolated_run(&work, &a, &err), 0);
	CHECK_STR(a.text, "text");
	CHECK(!a.opened && !a.killed && !a.forked && !a.socket && !a.memory_fd && !a.uid_allowed);
	close(fds[0]);
	close(fds[1]);
}

static int refuse(void *ctx, void *answer, struct error *err)
{
	return error_set(err, -ENOENT, "no %s", (const char *)ctx);
}

static int crash(void *ctx, void *answer, struct error *err)
{
	raise(SIGSEGV);
	_exit(0);
}

static int loop(void *ctx, void *answer, struct error *err)
{
	volatile int forever = 1;

	while (forever)
		;
	return 0;
}

static int use_memory(void *ctx, void *answer, struct error *err)
{
	size_t i;

	for (i = 0; i < 64; i++)
		if (!malloc(1UL << 30))
			return error_set(err, -ENOMEM, "no memory");
	return 0;
}

/* The result of @run, its text in @err. */
static int result(int (*run)(void *, void *, struct error *), struct error *err)
{
	struct isolated_work work = { .run = run, .ctx = (void *)"such field", .fd = -1, .size = 4, .seconds = 2 };
	int answer;

	*err = (struct error){0};
	return isolated_run(&work, &answer, err);
}

static void faults_are_results(void)
{
	struct error err;

	CHECK(result(refuse, &err) == -ENOENT);
	CHECK_STR(err.text, "no such field");
	CHECK(result(crash, &err) == -EBADMSG);
	CHECK(result(use_memory, &err) == -ENOMEM);
}

static void time_is_bounded(void)
{
	time_t start = time(NULL);
	struct error err;
	int r = result(loop, &err);

	/* by our clock or by the kernel's of its CPU time */
	CHECK(r == -ETIMEDOUT || r == -EBADMSG);
	/* 60 s more than the limit: on a busy machine the test itself may get no CPU for a while. */
	CHECK(time(NULL) - start < ISOLATED_SECONDS + 60);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(nothing_but_its_file),
		UNIT(faults_are_results),
		UNIT(time_is_bounded),
		{0} });
}
