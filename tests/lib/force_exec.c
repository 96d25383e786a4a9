// SPDX-License-Identifier: Apache-2.0
/*
 * force_exec PID: makes the process exec /bin/sleep, as an attacker in it would, by ptrace. Prints "refused: ERRNO", or "done"
 * with the capabilities that the new program has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

enum { RED_ZONE = 128, ROOM = 128 };

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void put(pid_t pid, unsigned long at, const void *data, size_t n)
{
	const char *p = data;
	unsigned long word;
	size_t i;

	for (i = 0; i < n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		if (ptrace(PTRACE_POKEDATA, pid, at + i, word))
			fail("POKEDATA");
	}
}

static int wait_stop(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		fail("waitpid");
	return status;
}

/* True: it runs the new program. False: the call has failed, and @call has its result. Other stops are passed over. */
static bool go_through_exec(pid_t pid, struct user_regs_struct *call)
{
	int stops = 0, status;

	while (stops < 2) {	/* the begin of the call, and its end */
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL))
			fail("SYSCALL");
		status = wait_stop(pid);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (ptrace(PTRACE_GETREGS, pid, NULL, call))
			fail("GETREGS");
		stops += call->orig_rax == SYS_execve;
	}
	return false;
}

/* Sets the arguments on the stack, below what the function uses. Returns the address of argv. */
static unsigned long put_arguments(pid_t pid, unsigned long sp, unsigned long *path)
{
	static const char sleep_path[16] = "/bin/sleep", seconds[8] = "30";
	unsigned long at = (sp - RED_ZONE - ROOM) & ~15UL, argv[3] = { at, at + 16, 0 };

	put(pid, at, sleep_path, sizeof(sleep_path));
	put(pid, at + 16, seconds, sizeof(seconds));
	put(pid, at + 32, argv, sizeof(argv));
	*path = at;
	return at + 32;
}

/*
 * Stops the process, which is traced, where it waits in a system call: elsewhere the two bytes
 * before its instruction pointer are no syscall instruction.
 */
static void stop_in_call(pid_t pid, struct user_regs_struct *regs)
{
	static const struct timespec nap = { .tv_nsec = 1000000 };

	for (;;) {
		if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
			fail("INTERRUPT");
		wait_stop(pid);
		if (ptrace(PTRACE_GETREGS, pid, NULL, regs))
			fail("GETREGS");
		if ((long)regs->orig_rax >= 0)
			return;
		if (ptrace(PTRACE_CONT, pid, NULL, NULL))
			fail("CONT");
		nanosleep(&nap, NULL);
	}
}

static void show_status(pid_t pid)
{
	char name[64], line[256];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", pid);
	f = fopen(name, "r");
	if (!f)
		fail(name);
	puts("done");
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "Cap", 3))
			fputs(line, stdout);
	fclose(f);
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	struct user_regs_struct regs, call;
	unsigned long path;

	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)))
		fail("SEIZE");
	stop_in_call(pid, &regs);
	call = regs;
	call.rip -= 2;		/* the instruction syscall in which it waits */
	call.orig_rax = (unsigned long)-1;
	call.rax = SYS_execve;
	call.rsi = put_arguments(pid, regs.rsp, &path);
	call.rdi = path;
	call.rdx = 0;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &call))
		fail("SETREGS");
	if (go_through_exec(pid, &call)) {
		show_status(pid);
	} else {
		printf("refused: %s\n", strerror((int)-(long)call.rax));
		ptrace(PTRACE_SETREGS, pid, NULL, &regs);
	}
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return 0;
}
