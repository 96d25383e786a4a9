// SPDX-License-Identifier: Apache-2.0
/*
 * drive, amid_exec: the target execs while memory is put into it, and its exec is kept waiting for the end of some of
 * its threads.
 */
#define _GNU_SOURCE
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "inline/threads.h"

/* The steps of the first system call that a thread is made to do, and some more. */
enum { EXEC_STEPS = 10, AMID_TRIES = 10000, AMID_PAUSE_NS = 1000000, TRAP_NS = 100000000 };

static struct exec_plan {
	unsigned int at, steps;
	const char *fifo;
	bool first;		/* the trap keeps the first thread from its end; else all others */
	volatile bool amid;	/* the program has been seen in the middle of its exec */
	pid_t trap;		/* the process that keeps threads from their ends */
	pid_t worker;		/* the process of the injection that holds threads */
} *exec_plan;

static void read_file_of(pid_t pid, const char *name, char *text, size_t size)
{
	char path[PROCFS_PATH];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

/*
 * Is the injection blocked in the kernel until the exec ends? PTRACE_SEIZE is: it waits for a lock that the exec has,
 * and then finds the thread gone. So is sigtimedwait() for a stop of the first thread, if that one has ended: the
 * kernel reports its end only when all other threads have ended, too.
 */
static bool worker_waits(void)
{
	char text[256];
	long call = -1;
	unsigned int request = 0;

	read_file_of(exec_plan->worker, "syscall", text, sizeof(text));
	sscanf(text, "%ld %x", &call, &request);
	return call == SYS_rt_sigtimedwait || (call == SYS_ptrace && request == PTRACE_SEIZE);
}

static void seize_those_to_trap(void)
{
	const long options = PTRACE_O_TRACEEXIT;
	struct vec tids = {0};
	size_t i;

	procfs_tids(&process.fs, process.pid, &tids);
	for (i = 0; i < tids.len; i++)
		if ((*vec_at(&tids, pid_t, i) == process.pid) == exec_plan->first)
			ptrace(PTRACE_SEIZE, *vec_at(&tids, pid_t, i), NULL, (void *)options);
	vec_free(&tids);
}

/*
 * The exec may go on if the injection waits for it. An injection that still looks for a thread that sleeps does not
 * wait, and would look until its own timeout: then the exec goes on after TRAP_NS.
 */
static bool is_over(void)
{
	static uint64_t end;

	if (!exec_plan->amid)
		return false;
	if (!end)
		end = now_ns() + TRAP_NS;
	return worker_waits() || now_ns() >= end;
}

/* Runs in a child process, until the exec may go on or until it is killed. The threads may do all but end. */
static void trap_threads(int ready)
{
	int status;
	pid_t tid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	seize_those_to_trap();
	if (write(ready, "r", 1) != 1)
		_exit(1);
	while (!is_over()) {
		tid = waitpid(-1, &status, __WALL | WNOHANG);
		if (tid > 0 && WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_EXIT)
			ptrace(PTRACE_CONT, tid, NULL, (long)(status >> 16 ? 0 : WSTOPSIG(status)));
		if (tid <= 0)
			sleep_ns(AMID_PAUSE_NS);
	}
	_exit(0);
}

static void set_trap(void)
{
	int ready[2];
	pid_t trap;
	char c;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	trap = fork();
	if (!trap)
		trap_threads(ready[1]);
	exec_plan->trap = trap;
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		die("no trap");
	close(ready[0]);
}

static bool waits_for_byte(void)
{
	char name[32];

	read_file_of(process.pid, "comm", name, sizeof(name));
	return !strcmp(name, "waits\n");
}

static bool has_execed(void)
{
	return process_execed(&process) && waits_for_byte();
}

static size_t count_living(void)
{
	struct vec tids = {0};
	size_t i, n = 0;

	procfs_tids(&process.fs, process.pid, &tids);
	for (i = 0; i < tids.len; i++)
		n += !strchr("ZX", thread_state(&process, *vec_at(&tids, pid_t, i)));
	vec_free(&tids);
	return n;
}

/* first: of the two threads that are left one execs, and the kernel keeps it waiting until the other one has ended. */
static bool is_amid_exec(void)
{
	char first = thread_state(&process, 0);

	return exec_plan->first ? first == 't' && count_living() == 2 : first == 'Z';
}

static bool await(bool (*is_so)(void))
{
	int tries;

	for (tries = 0; tries < AMID_TRIES && !is_so(); tries++)
		sleep_ns(AMID_PAUSE_NS);
	return tries < AMID_TRIES;
}

static void begin_exec(void)
{
	int fd = open(exec_plan->fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || write(fd, "x", 1) != 1)
		return;
	close(fd);
	exec_plan->worker = getpid();
	exec_plan->amid = await(is_amid_exec);
}

static void end_exec(void)
{
	kill(exec_plan->trap, SIGKILL);
	await(has_execed);
}

void exec_step(void)
{
	unsigned int n = exec_plan ? __atomic_add_fetch(&exec_plan->steps, 1, __ATOMIC_SEQ_CST) : 0;

	if (!n)
		return;
	if (n == exec_plan->at)
		begin_exec();
	if (n == exec_plan->at + 1 && !exec_plan->first)
		end_exec();
}

/* Results that mean: ended, or not now. No other one may come of an exec, such as that the program forbids it. */
static bool may_come_of_exec(int r)
{
	return r == -ESRCH || r == -EAGAIN || r == -EBUSY;
}

static void exec_at(unsigned int at)
{
	uint64_t begin = now_ns();
	struct injected in;
	struct error err = {0};
	int r;

	exec_plan->steps = 0;
	exec_plan->amid = false;
	exec_plan->at = at;
	set_trap();
	r = try_inject(TIMEOUT_MS, &in, &err);
	if (r)
		injected_close(&in);
	if (now_ns() - begin >= TIMEOUT_MS * 1000000ULL)
		die("an exec at step %u waits for a thread that gotap has, and gotap for the exec", at);
	if (!exec_plan->amid)
		die("step %u of %u was not amid an exec: %s", at, exec_plan->steps, err.text);
	exec_plan->at = 0;
	end_exec();
	while (wait(NULL) > 0)
		;
	if (!has_execed())
		die("at step %u the program did not exec itself", at);
	if (!may_come_of_exec(r))
		die("an exec at step %u: %d, %s", at, r, err.text);
	printf("exec at step %u: %s\n", at, err.text);
	fflush(stdout);
}

void exec_steps(const char *fifo, bool first)
{
	pid_t pid = process.pid;
	unsigned int at;

	exec_plan = mmap(NULL, sizeof(*exec_plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (exec_plan == MAP_FAILED)
		die("no memory");
	*exec_plan = (struct exec_plan){ .fifo = fifo, .first = first };
	for (at = 1; at <= EXEC_STEPS; at++) {
		if (!await(waits_for_byte))
			die("process %d does not wait", pid);
		exec_at(at);
		gobin_free(bin);
		process_close(&process);
		open_target(pid);
		check_clean();
	}
}
