// SPDX-License-Identifier: Apache-2.0
/*
 * drive: does to a running Go program from outside what `gotap record --attach inline` does to it, again and again, and
 * is killed at each step of it. tests/inject.bats runs it.
 *
 *	drive cycles PID N		inject and remove, N times
 *	drive patch PID N		and change calls of runtime.casgstatus meanwhile, and back
 *	drive kill PID EACH		is killed at step EACH, 2 * EACH, ... of all that; a later one cleans up
 *	drive hurt PID EACH		the same, but only the child that holds threads is killed
 *	drive refused PID MS		it must not get in within that time; says why not
 *	drive traced PID MS		likewise, while another process traces all its threads
 *	drive storm PID MS		inject and remove for so long, whatever comes of it
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
	return in.held_ns;
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
	bool child_alone;
	pid_t prober;
} *plan;

void inject_step(void)
{
	if (!plan || __atomic_add_fetch(&plan->steps, 1, __ATOMIC_SEQ_CST) != plan->at)
		return;
	if (!plan->child_alone)
		kill(0, SIGKILL);	/* all of it is a process group */
	if (getpid() != plan->prober)
		kill(getpid(), SIGKILL);
}

/* Does @work in a process that is killed at that step. False: it came to its end before. */
static bool killed_at(unsigned int at, bool child_alone, void (*work)(void))
{
	int status;
	pid_t pid;

	plan->steps = 0;
	plan->child_alone = child_alone;
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
	return child_alone ? plan->steps >= at : WIFSIGNALED(status);
}

/* What gotap does when it comes to a program in which another was killed. False: there was nothing. */
static bool clean_up(void)
{
	struct vec left = {0};
	struct injected in;
	struct error err;
	int r = leftover_find(&process, text_lo, text_hi, -1, &in, &left, &err);

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

/* A thread that was let go with a call just before the kill may make it a little later. */
static void clean_up_all(void)
{
	int quiet = 0, tries = 0;

	while (quiet < 3 && tries++ < 1000) {
		quiet = clean_up() ? 0 : quiet + 1;
		sleep_ns(2000000);
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

static unsigned int kill_each_step(const char *what, unsigned int each, bool child_alone, void (*work)(void),
				   void (*before)(void), void (*after)(void))
{
	unsigned int at = 0, kills = 0, steps;
	bool killed;

	do {
		if (before)
			before();
		killed = killed_at(at += each, child_alone, work);
		steps = plan->steps;
		if (after)
			after();
		clean_up_all();
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

static void kill_steps(unsigned int each, bool child_alone)
{
	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan == MAP_FAILED)
		die("no memory");
	if (!kill_each_step("inject", each, child_alone, do_inject, NULL, NULL) ||
	    !kill_each_step("remove", each, child_alone, do_remove, inject_before, forget))
		die("no kill came");
	if (!child_alone && (!kill_each_step("patch", each, false, do_patch, patch_before, patch_after) ||
			     !kill_each_step("undo", each, false, do_undo, undo_before, patch_after)))
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

static int in_and_out(void)
{
	struct injected in;
	struct error err;
	int r = inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, 1000, &in, &err);

	if (r)
		return r;
	r = inject_remove(&process, &hosts, &in, 1000, &err);
	close(in.memfd);
	return r;
}

/* The program may end, or exec itself: then all goes with its memory. */
static void storm(int ms)
{
	uint64_t end = now_ns() + (uint64_t)ms * 1000000;
	unsigned int done = 0, not_now = 0, ended = 0;
	int r = 0;

	while (now_ns() < end && r != -ESRCH) {
		r = in_and_out();
		done += !r;
		not_now += r == -EAGAIN || r == -EBUSY;
		ended += r == -ESRCH;
		if (r && r != -EAGAIN && r != -EBUSY && r != -ESRCH && !process_leaves(&process))
			die("unexpected: %s", strerror(-r));
	}
	printf("in and out %u times, not now %u, ended %u\n", done, not_now, ended);
}

/* --- --- */

int main(int argc, char **argv)
{
	const char *what = argc == 4 ? argv[1] : "";
	int n = argc == 4 ? atoi(argv[3]) : 0;

	if (n < 1)
		die("usage: drive cycles|patch|kill|hurt|refused|traced|storm PID N");
	open_target(atoi(argv[2]));
	if (!strcmp(what, "cycles") || !strcmp(what, "patch"))
		cycles((size_t)n, !strcmp(what, "patch"));
	else if (!strcmp(what, "kill") || !strcmp(what, "hurt"))
		kill_steps((unsigned int)n, !strcmp(what, "hurt"));
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
