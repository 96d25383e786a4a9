// SPDX-License-Identifier: Apache-2.0
/*
 * drive: does to a running Go program from outside what `gotap record --attach inline` does to it, again and again, and
 * is killed at each step of it. tests/inject.bats runs it.
 *
 *	drive cycles PID N		inject and remove, N times
 *	drive patch PID N		and change calls of runtime.casgstatus meanwhile, and back
 *	drive kill PID EACH		is killed at step EACH, 2 * EACH, ... of all that; a later one cleans up
 *	drive hurt PID EACH		the same, but only the child that holds threads is killed
 *	drive late PID EACH		the same, but all else is killed, and the child, with the thread that it holds, 100 ms later
 *	drive refused PID MS		it must not get in within that time; says why not
 *	drive traced PID MS		likewise, while another process traces all its threads
 *	drive storm PID MS		inject and remove for so long, and until it has worked once, whatever comes of it
 *	drive exec-first PID FIFO	injects, and the program (tests/prog/amidexec.go) execs at each of the first steps, where its first
 *					thread has not ended yet, and all others but the one that execs have; until the injection is over
 *	drive exec-others PID FIFO	the same, but the first thread has ended, and others have not; until the next step
 *
 * Each ends with status 0 if the program's memory, descriptors and code are as they were before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
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
#include "inline.h"
#include "inline/alive.h"
#include "inline/hold.h"
#include "inline/inject.h"
#include "inline/leftover.h"
#include "inline/patch.h"
#include "inline/threads.h"
#include "inline/vm.h"
#include "live/module.h"
#include "target/gobin.h"

enum { CODE_SIZE = 16384, SHARED_SIZE = 1 << 20, TIMEOUT_MS = 10000, PATCHES = 128, SOME = 8, STUB = 32 };

static struct process process;
static struct gobin *bin;
static struct inject_hosts hosts;
static uint64_t text_lo, text_hi;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* --- the target --- */

static void find_host(const char *name, uint64_t ret[2])
{
	struct gobin_func fn;

	if (gobin_func(bin, name, &fn))
		die("no %s", name);
	ret[0] = fn.addr + process.bias;
	ret[1] = ret[0] + fn.size;
}

static int try_open(pid_t pid, struct error *err)
{
	struct procfs fs;
	int r = procfs_open(&fs, NULL, err);

	if (!r)
		r = process_open(&process, &fs, pid, err);
	if (!r)
		r = gobin_open_fd(&bin, process.exe_file, process.exe, err);
	return r ? r : process_find_bias(&process, gobin_entry(bin), err);
}

/* Amid an exec a process cannot be opened for a moment. */
static void open_target(pid_t pid)
{
	struct error err = {0};
	int tries = 0;

	while (try_open(pid, &err)) {
		if (kill(pid, 0) || ++tries == 100)
			die("%s", err.text);
		sleep_ns(5000000);
	}
	process_file_path(process.exe_file, process.module);
	find_host("runtime.futex", hosts.futex);
	find_host("runtime.usleep", hosts.usleep);
	gobin_text_range(bin, &text_lo, &text_hi);
	text_lo += process.bias;
	text_hi += process.bias;
}

/* --- is it as it was? --- */

static size_t count_ours(void)
{
	char path[PROCFS_PATH];
	struct areas a;
	size_t i, n = 0;
	int fd;

	if (areas_read(&a, &process))
		die("process %d has no memory any more", process.pid);
	for (i = 0; i < a.list.len; i++)
		n += is_our_name(vec_at(&a.list, struct area, i)->name) ||
		     (!strcmp(vec_at(&a.list, struct area, i)->perms, "r-xp") &&
		      !*vec_at(&a.list, struct area, i)->name);
	areas_free(&a);
	for (fd = 0; fd < 1024; fd++) {
		char link[64] = "";

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", process.pid, fd);
		n += readlink(path, link, sizeof(link) - 1) > 0 && is_our_name(link);
	}
	return n;
}

static void check_text(void)
{
	uint64_t size = text_hi - text_lo;
	const uint8_t *file = gobin_bytes(bin, text_lo - process.bias, size);
	uint8_t *now = malloc(size);

	if (!file || !now || vm_read(&process, text_lo, now, size) != size || memcmp(file, now, size))
		die("the code is not as in the file");
	free(now);
}

static void check_clean(void)
{
	if (count_ours())
		die("something of gotap is left in process %d", process.pid);
	check_text();
}

/* --- calls and their patches --- */

static struct patch patches[PATCHES];
static size_t n_patches;
static int probes[PATCHES];

/* All calls of a function that is called by the compiler's code alone. */
static void find_calls(const char *name, size_t max)
{
	const uint8_t *text = gobin_bytes(bin, text_lo - process.bias, text_hi - text_lo);
	struct gobin_func fn;
	uint64_t at, size = text_hi - text_lo;
	int32_t far;

	if (gobin_func(bin, name, &fn))
		die("no %s", name);
	for (at = 0; at + 5 <= size && n_patches < max; at++) {
		memcpy(&far, text + at + 1, 4);
		if (text[at] != 0xe8 || at + 5 + (uint64_t)(int64_t)far != fn.addr - (text_lo - process.bias))
			continue;
		patches[n_patches] = (struct patch){ .addr = text_lo + at, .len = 5, .at = 1 };
		memcpy(patches[n_patches++].bytes, text + at, 5);
	}
}

/* jmp *0(%rip), and the address behind it */
static void write_stubs(const struct injected *in, uint64_t function)
{
	uint8_t stub[14] = { 0xff, 0x25 };
	struct error err;
	size_t i;

	memcpy(stub + 6, &function, 8);
	for (i = 0; i < n_patches; i++) {
		patches[i].to = in->code + i * STUB;
		if (inject_write(&process, patches[i].to, stub, sizeof(stub), &err))
			die("%s", err.text);
	}
}

static int uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (!f || fscanf(f, "%d", &type) != 1)
		die("no uprobes");
	fclose(f);
	return type;
}

static void attach(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = (uint32_t)uprobe_type() };
	uint64_t offset;
	size_t i;

	attr.uprobe_path = (uintptr_t)process.exe;
	for (i = 0; i < n_patches; i++) {
		if (gobin_file_offset(bin, patches[i].addr - process.bias, &offset))
			die("no file offset");
		attr.probe_offset = offset;
		probes[i] = (int)syscall(SYS_perf_event_open, &attr, process.pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (probes[i] < 0)
			die("perf_event_open: %s", strerror(errno));
	}
}

static void detach(void)
{
	size_t i;

	for (i = 0; i < n_patches; i++)
		close(probes[i]);
}

static void apply(bool undo)
{
	struct error err;
	size_t i;

	attach();
	if (patch_apply(&process, patches, n_patches, undo, &err))
		die("%s", err.text);
	detach();
	for (i = 0; i < n_patches; i++)
		if (patches[i].done == undo)
			die("call at %#" PRIx64 ": %s", patches[i].addr, patches[i].why);
}

/* --- scenarios --- */

static void inject(struct injected *in)
{
	struct error err;

	if (inject_possible(&process, &err) ||
	    inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, TIMEOUT_MS, in, &err))
		die("%s", err.text);
}

static void set_control(const struct injected *in, uint64_t shared)
{
	struct inline_control control = { shared };
	struct error err;

	if (inject_write(&process, in->code + in->code_size, &control, sizeof(control), &err))
		die("%s", err.text);
}

static void take_out(struct injected *in)
{
	struct error err;

	if (inject_remove(&process, &hosts, in, TIMEOUT_MS, &err))
		die("%s", err.text);
	close(in->memfd);
}

/* Once in and out, with @patching or without. Returns the longest hold. */
static uint64_t cycle(bool patching)
{
	struct injected in;
	struct gobin_func fn;

	inject(&in);
	if (patching && !gobin_func(bin, "runtime.casgstatus", &fn)) {
		write_stubs(&in, fn.addr + process.bias);
		set_control(&in, in.shared);
		apply(false);
		sleep_ns(5000000);
		apply(true);
	}
	take_out(&in);
	return in.held.ns;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void cycles(size_t n, bool patching)
{
	uint64_t *held = calloc(n, sizeof(*held));
	size_t i;

	if (patching)
		find_calls("runtime.casgstatus", SOME);
	for (i = 0; i < n; i++) {
		held[i] = cycle(patching);
		if (patching)
			continue;
		if (count_ours())
			die("after cycle %zu something is left", i);
	}
	check_clean();
	qsort(held, n, sizeof(*held), by_value);
	printf("%zu cycles, %zu calls, longest hold of a cycle: median %" PRIu64 " us, max %" PRIu64 " us\n",
	       n, n_patches, held[n / 2] / 1000, held[n - 1] / 1000);
}

/* --- killed --- */

static struct kill_plan {
	unsigned int at, steps;		/* at 0: never */
	enum who { ALL, CHILD_ALONE, CHILD_LATER } who;
	pid_t prober;
} *plan;

/* The thread that it holds gets no processor for so long, as it looks to everybody else. */
static void outlive_prober(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
	kill(plan->prober, SIGKILL);
	sleep_ns(100000000);
}

static void kill_step(void)
{
	if (!plan || __atomic_add_fetch(&plan->steps, 1, __ATOMIC_SEQ_CST) != plan->at)
		return;
	if (plan->who == CHILD_LATER && getpid() != plan->prober)
		outlive_prober();
	if (plan->who != CHILD_ALONE)
		kill(0, SIGKILL);	/* all of it is a process group */
	if (getpid() != plan->prober)
		kill(getpid(), SIGKILL);
}

static void exec_step(void);

void inject_step(void)
{
	kill_step();
	exec_step();
}

/* Does @work in a process that is killed at that step. False: it came to its end before. */
static bool killed_at(unsigned int at, enum who who, void (*work)(void))
{
	int status;
	pid_t pid;

	plan->steps = 0;
	plan->who = who;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		plan->prober = getpid();
		plan->at = at;
		work();
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid: %s", strerror(errno));
	plan->at = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		die("it failed in the process that was to be killed at step %u", at);
	return who == CHILD_ALONE ? plan->steps >= at : WIFSIGNALED(status);
}

/*
 * What gotap does when it comes to a program in which another was killed. False: there was nothing. One that was killed
 * holds its lock until the kernel has taken its last process apart: that one is waited for by the next try.
 */
static bool clean_up(void)
{
	struct vec left = {0};
	struct injected in;
	struct error err;
	int r = leftover_find(&process, &hosts, text_lo, text_hi, -1, &in, &left, &err);

	if (r == -EBUSY || r == -EAGAIN)
		return true;
	if (r < 0)
		die("%s", err.text);
	if (r && left.len > PATCHES)
		die("%zu patches are left", left.len);
	if (r && left.len) {
		n_patches = left.len;
		memcpy(patches, left.data, left.len * sizeof(*patches));
		apply(true);
	}
	if (r)
		take_out(&in);
	vec_free(&left);
	return r;
}

enum { CLEAN_TRIES = 5000, CLEAN_PAUSE_NS = 2000000 };

/*
 * A thread that was let go with a call just before the kill may make it a little later, and on a loaded machine much later:
 * three looks that find nothing in a row are the end only if there is nothing indeed.
 */
static void clean_up_all(void)
{
	int quiet = 0, tries = 0;

	while (tries++ < CLEAN_TRIES) {
		quiet = clean_up() ? 0 : quiet + 1;
		if (quiet >= 3 && !count_ours())
			break;
		sleep_ns(CLEAN_PAUSE_NS);
	}
	check_clean();
}

static struct injected shared_in;	/* of work that begins with memory */

static void do_inject(void)
{
	struct injected in;
	struct error err;

	if (!inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, TIMEOUT_MS, &in, &err))
		set_control(&in, in.shared);
}

static void do_remove(void)
{
	struct error err;

	inject_remove(&process, &hosts, &shared_in, TIMEOUT_MS, &err);
}

static void do_patch(void)
{
	struct error err;

	if (patch_apply(&process, patches, n_patches, false, &err))
		die("%s", err.text);
}

static void do_undo(void)
{
	struct error err;

	if (patch_apply(&process, patches, n_patches, true, &err))
		die("%s", err.text);
}

static unsigned int kill_each_step(const char *what, unsigned int each, enum who who, void (*work)(void),
				   void (*before)(void), void (*after)(void))
{
	unsigned int at = 0, kills = 0, steps;
	bool killed;

	do {
		if (before)
			before();
		killed = killed_at(at += each, who, work);
		steps = plan->steps;
		if (after)
			after();
		clean_up_all();
		if (who == CHILD_LATER) {
			while (wait(NULL) > 0)
				;
			clean_up_all();
		}
		kills += killed;
	} while (killed);
	printf("%s: killed at %u of %u steps\n", what, kills, steps);
	return kills;
}

static void inject_before(void)
{
	inject(&shared_in);
	set_control(&shared_in, shared_in.shared);
}

static void forget(void)
{
	close(shared_in.memfd);
}

static void patch_before(void)
{
	struct gobin_func fn;

	inject_before();
	n_patches = 0;
	find_calls("runtime.casgstatus", SOME);
	if (gobin_func(bin, "runtime.casgstatus", &fn))
		die("no runtime.casgstatus");
	write_stubs(&shared_in, fn.addr + process.bias);
	attach();
}

static void undo_before(void)
{
	patch_before();
	do_patch();
}

/* Uprobes must be held by somebody who is not killed (capture/prober.h). */
static void patch_after(void)
{
	detach();
	forget();
}

static void kill_steps(unsigned int each, enum who who)
{
	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan == MAP_FAILED)
		die("no memory");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!kill_each_step("inject", each, who, do_inject, NULL, NULL) ||
	    !kill_each_step("remove", each, who, do_remove, inject_before, forget))
		die("no kill came");
	if (who == ALL && (!kill_each_step("patch", each, ALL, do_patch, patch_before, patch_after) ||
			   !kill_each_step("undo", each, ALL, do_undo, undo_before, patch_after)))
		die("no kill came");
}

/* --- not let in --- */

static void refused(int ms)
{
	struct injected in;
	struct error err;

	if (!inject_possible(&process, &err) &&
	    !inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, ms, &in, &err))
		die("it got in");
	printf("%s\n", err.text);
	check_clean();
}

/* In a child, until it is killed. */
static void trace_all(int ready)
{
	struct vec tids = {0};
	size_t i;

	procfs_tids(&process.fs, process.pid, &tids);
	for (i = 0; i < tids.len; i++)
		ptrace(PTRACE_SEIZE, *vec_at(&tids, pid_t, i), NULL, NULL);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void traced(int ms)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		trace_all(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		die("no tracer");
	refused(ms);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- whatever comes --- */

static int in_and_out(struct error *err)
{
	struct injected in;
	int r = inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, 1000, &in, err);

	if (r)
		return r;
	r = inject_remove(&process, &hosts, &in, 1000, err);
	close(in.memfd);
	return r;
}

/* The program may end, or exec itself: then all goes with its memory. */
static void storm(int ms)
{
	uint64_t end = now_ns() + (uint64_t)ms * 1000000, at_last = end + 60000000000ULL;
	unsigned int done = 0, not_now = 0, ended = 0;
	struct error err = {0};
	int r = 0;

	while (now_ns() < (done ? end : at_last) && r != -ESRCH) {
		r = in_and_out(&err);
		done += !r;
		not_now += r == -EAGAIN || r == -EBUSY;
		ended += r == -ESRCH;
		if (r && r != -EAGAIN && r != -EBUSY && r != -ESRCH && !process_leaves(&process))
			die("unexpected: %s", err.text);
	}
	printf("in and out %u times, not now %u, ended %u\n", done, not_now, ended);
}

/* --- amid an exec --- */

/* All steps of the first call, and what comes behind it. */
enum { EXEC_STEPS = 10, AMID_TRIES = 10000, AMID_PAUSE_NS = 1000000, TRAP_NS = 100000000 };

static struct exec_plan {
	unsigned int at, steps;
	const char *fifo;
	bool first;		/* the first thread is the one that does not end */
	volatile bool amid;	/* that was seen */
	pid_t trap;		/* who keeps threads from their ends */
	pid_t worker;		/* who does the injection's work on threads */
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
 * Amid an exec a PTRACE_SEIZE waits for its end, and then finds the thread that there was gone; and who waits for a stop of
 * the first thread, which has ended, is told so only then.
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

/* Who looks for a thread that sleeps finds none, and is not kept for longer than its patience. */
static bool is_over(void)
{
	static uint64_t end;

	if (!exec_plan->amid)
		return false;
	if (!end)
		end = now_ns() + TRAP_NS;
	return worker_waits() || now_ns() >= end;
}

/* In a child, until it is killed, or the exec should go on: threads may do all but end. */
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

/* Of the two that are left one execs, and is blocked until the other one has ended. */
static bool is_amid_exec(void)
{
	char first = thread_state(&process, 0);

	return exec_plan->first ? first == 't' && count_living() == 2 : first == 'Z';
}

static bool await(bool (*what)(void))
{
	int tries;

	for (tries = 0; tries < AMID_TRIES && !what(); tries++)
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

static void exec_step(void)
{
	unsigned int n = exec_plan ? __atomic_add_fetch(&exec_plan->steps, 1, __ATOMIC_SEQ_CST) : 0;

	if (!n)
		return;
	if (n == exec_plan->at)
		begin_exec();
	if (n == exec_plan->at + 1 && !exec_plan->first)
		end_exec();
}

/* None of them is a refusal by the program, or by a rule. */
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
	r = inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, TIMEOUT_MS, &in, &err);
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

static void exec_steps(const char *fifo, bool first)
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

/* --- --- */

int main(int argc, char **argv)
{
	const char *what = argc == 4 ? argv[1] : "";
	int n = argc == 4 ? atoi(argv[3]) : 0;

	if (!strncmp(what, "exec-", 5)) {
		open_target(atoi(argv[2]));
		exec_steps(argv[3], !strcmp(what, "exec-first"));
		return 0;
	}
	if (n < 1)
		die("usage: drive cycles|patch|kill|hurt|late|refused|traced|storm PID N, or drive exec-first|exec-others PID FIFO");
	open_target(atoi(argv[2]));
	if (!strcmp(what, "cycles") || !strcmp(what, "patch"))
		cycles((size_t)n, !strcmp(what, "patch"));
	else if (!strcmp(what, "kill"))
		kill_steps((unsigned int)n, ALL);
	else if (!strcmp(what, "hurt"))
		kill_steps((unsigned int)n, CHILD_ALONE);
	else if (!strcmp(what, "late"))
		kill_steps((unsigned int)n, CHILD_LATER);
	else if (!strcmp(what, "refused"))
		refused(n);
	else if (!strcmp(what, "traced"))
		traced(n);
	else if (!strcmp(what, "storm"))
		storm(n);
	else
		die("no scenario %s", what);
	return 0;
}
