// SPDX-License-Identifier: Apache-2.0
/* rights: the system calls that a process gives up, and kernels that take no seccomp filter. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rights.h"

/* The exit status of a child process that calls @run. */
static int in_child(int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(run());
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* prctl() and seccomp() fail with EINVAL from now on, as in a kernel without filters. */
static bool refuse_filters(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 5, .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filters_are_missed(void)
{
	struct error err;
	int calls[] = { SYS_getppid };

	if (!refuse_filters())
		return 2;
	return rights_can_filter() || !rights_refuse_calls(calls, 1, &err);
}

static int call_is_refused(void)
{
	struct error err;
	int calls[] = { SYS_getppid };

	if (!rights_can_filter() || rights_seal(0, &err) || rights_refuse_calls(calls, 1, &err))
		return 2;
	return !(syscall(SYS_getppid) == -1 && errno == EPERM && getpid() > 0);
}

static int other_call_is_refused(void)
{
	struct error err;
	int calls[] = { SYS_exit_group, SYS_getpid };

	if (rights_seal(0, &err) || rights_allow_calls(calls, 2, &err))
		return 2;
	return !(syscall(SYS_getppid) == -1 && errno == EPERM && getpid() > 0);
}

static void a_kernel_without_filters_is_seen(void)
{
	CHECK(rights_can_filter());
	CHECK_EQ(in_child(filters_are_missed), 0);
}

static void calls_that_are_given_up_fail(void)
{
	CHECK_EQ(in_child(call_is_refused), 0);
	CHECK_EQ(in_child(other_call_is_refused), 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_kernel_without_filters_is_seen),
		UNIT(calls_that_are_given_up_fail),
		{ 0 },
	});
}
