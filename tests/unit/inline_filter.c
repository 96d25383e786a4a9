// SPDX-License-Identifier: Apache-2.0
/* filter: seccomp programs give the answers that the kernel gives; anything odd counts as a refusal. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inline/filter.h"

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(a) BPF_STMT(BPF_RET | BPF_K, a)
#define RUN(p, call) filter_run(p, sizeof(p) / sizeof((p)[0]), call)

static const struct seccomp_data mmap_call = { .nr = SYS_mmap, .arch = AUDIT_ARCH_X86_64,
					       .instruction_pointer = 0x123456789abc,
					       .args = { 0, 4096, 5, 0x22 } };

static void by_number(void)
{
	static const struct sock_filter p[] = {
		LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1), ANSWER(SECCOMP_RET_ERRNO | 1),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct seccomp_data other = mmap_call;

	other.nr = SYS_munmap;
	CHECK_EQ(RUN(p, &mmap_call), SECCOMP_RET_ERRNO | 1);
	CHECK_EQ(RUN(p, &other), SECCOMP_RET_ALLOW);
}

/* Memory that can be written and executed is refused, as systemd's MemoryDenyWriteExecute= has it. */
static void by_argument(void)
{
	static const struct sock_filter p[] = {
		LOAD(args[2]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 6), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 1),
		ANSWER(SECCOMP_RET_KILL_PROCESS), ANSWER(SECCOMP_RET_ALLOW),
	};
	struct seccomp_data both = mmap_call;

	both.args[2] = 7;
	CHECK_EQ(RUN(p, &mmap_call), SECCOMP_RET_ALLOW);
	CHECK_EQ(RUN(p, &both), SECCOMP_RET_KILL_PROCESS);
}

static void arithmetic_and_memory(void)
{
	static const struct sock_filter p[] = {
		BPF_STMT(BPF_LD | BPF_IMM, 40), BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 3), BPF_STMT(BPF_ST, 2),
		BPF_STMT(BPF_LDX | BPF_IMM, 7), BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0), BPF_STMT(BPF_STX, 3),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), BPF_STMT(BPF_LDX | BPF_MEM, 2),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_X, 0), BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 0x80),
		BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 4), BPF_STMT(BPF_ALU | BPF_NEG, 0),
		BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0), BPF_STMT(BPF_RET | BPF_A, 0),
	};
	uint32_t a = ((((40 * 3 - 7) >> 1) | 120) ^ 0x80) << 4;

	CHECK_EQ(RUN(p, &mmap_call), (uint32_t)(sizeof(struct seccomp_data) - a));
}

static void odd_programs_refuse(void)
{
	static const struct sock_filter endless[] = { LOAD(nr) };
	static const struct sock_filter far[] = { BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), ANSWER(SECCOMP_RET_ALLOW) };
	static const struct sock_filter beyond[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof(struct seccomp_data)),
						     ANSWER(SECCOMP_RET_ALLOW) };
	static const struct sock_filter zero[] = { BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), ANSWER(SECCOMP_RET_ALLOW) };
	static const struct sock_filter slot[] = { BPF_STMT(BPF_ST, 16), ANSWER(SECCOMP_RET_ALLOW) };

	CHECK_EQ(RUN(endless, &mmap_call), SECCOMP_RET_KILL_THREAD);
	CHECK_EQ(RUN(far, &mmap_call), SECCOMP_RET_KILL_THREAD);
	CHECK_EQ(RUN(beyond, &mmap_call), SECCOMP_RET_KILL_THREAD);
	CHECK_EQ(RUN(zero, &mmap_call), SECCOMP_RET_KILL_THREAD);
	CHECK_EQ(RUN(slot, &mmap_call), SECCOMP_RET_KILL_THREAD);
	CHECK_EQ(filter_run(NULL, 0, &mmap_call), SECCOMP_RET_KILL_THREAD);
}

static void each_must_allow(void)
{
	static struct sock_filter allow[] = { ANSWER(SECCOMP_RET_ALLOW) }, log[] = { ANSWER(SECCOMP_RET_LOG) };
	static struct sock_filter notify[] = { ANSWER(SECCOMP_RET_USER_NOTIF) };
	struct filter_program all[] = { { allow, 1 }, { log, 1 }, { notify, 1 } };
	struct filters f = { { all, 2, 2 } };

	CHECK(filters_allow(&f, &mmap_call));
	f.programs.len = 3;
	CHECK(!filters_allow(&f, &mmap_call));
	f.programs.len = 0;
	CHECK(filters_allow(&f, &mmap_call));
}

/* The kernel runs the same program on the same call, and says what it answers: an error number. */
static void the_kernel_agrees(void)
{
	static const struct sock_filter p[] = {
		LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 4), LOAD(args[1]),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 3), BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_A, 0), ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(p) / sizeof(p[0]), (struct sock_filter *)p };
	struct seccomp_data call = { .nr = SYS_getpriority, .arch = AUDIT_ARCH_X86_64, .args = { 0, 9 } };
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
			_exit(255);
		_exit(syscall(SYS_getpriority, 0, 9) == -1 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(WEXITSTATUS(status), RUN(p, &call) & SECCOMP_RET_DATA);
	CHECK_EQ(RUN(p, &call), SECCOMP_RET_ERRNO | 27);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(by_number), UNIT(by_argument), UNIT(arithmetic_and_memory), UNIT(odd_programs_refuse),
		UNIT(each_must_allow), UNIT(the_kernel_agrees), {0} });
}
