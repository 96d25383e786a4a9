// SPDX-License-Identifier: Apache-2.0
/* What a parser of a hostile file can still do: read its file, answer, and end. */
#define _GNU_SOURCE
#include "base/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
#ifdef SYS_fork
	a->forked = syscall(SYS_fork) >= 0;
#else
	a->forked = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0;
#endif
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

/* 400 MB can be had, 600 MB cannot, whatever the process has that it is a copy of. */
static int use_some_memory(void *ctx, void *answer, struct error *err)
{
	char *some = malloc(400UL << 20);

	*(int *)answer = some && !malloc(200UL << 20);
	return 0;
}

static void memory_is_bounded(void)
{
	struct isolated_work work = { .run = use_some_memory, .fd = -1, .size = sizeof(int) };
	void *own = malloc(1UL << 30);
	struct error err = {0};
	int bounded = 0;

	CHECK(own != NULL);
	CHECK_EQ(isolated_run(&work, &bounded, &err), 0);
	CHECK(bounded);
	free(own);
}

/* From here on this process gets no further filter: prctl(PR_SET_SECCOMP) and seccomp(2) fail. */
static void refuse_filters(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static int succeed(void *ctx, void *answer, struct error *err)
{
	return 0;
}

static void without_a_filter_nothing_is_looked_at(void)
{
	struct error err;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		refuse_filters();
		_exit(result(succeed, &err) == -EPERM && strstr(err.text, "refuses a seccomp filter") ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(result(succeed, &err), 0);
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
		UNIT(memory_is_bounded),
		UNIT(without_a_filter_nothing_is_looked_at),
		UNIT(time_is_bounded),
		{0} });
}
