/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp [--restart] COMMAND...: runs it under a filter that kills the process at memfd_create(2) and
 * where it would map memory that is executable and of no file, neither of which a Go program does.
 * --restart: under one that kills at restart_syscall(2), by which calls with a timeout go on after a
 * stop.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define KILL_IF(value) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		KILL_IF(SYS_memfd_create),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 5),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 3),
		LOAD(args[4]),
		KILL_IF(0xffffffffu),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_filter restart[] = {
		LOAD(nr),
		KILL_IF(SYS_restart_syscall),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (argc > 2 && !strcmp(argv[1], "--restart")) {
		program = (struct sock_fprog){ sizeof(restart) / sizeof(*restart), restart };
		argv++;
		argc--;
	}
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		return 1;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
