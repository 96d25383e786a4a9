// SPDX-License-Identifier: Apache-2.0
/*
 * drive, target: the program that is driven: its memory, descriptors and code, its calls of a function, memory in and
 * out of it.
 */
#define _GNU_SOURCE
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "inline.h"
#include "inline/alive.h"
#include "inline/vm.h"
#include "live/module.h"

enum { CODE_SIZE = 16384, SHARED_SIZE = 1 << 20, STUB = 32 };

struct process process;
struct gobin *bin;
struct inject_hosts hosts;
uint64_t text_lo, text_hi;

void die(const char *fmt, ...)
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

/* While the program execs, opening it can fail. */
void open_target(pid_t pid)
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

size_t count_ours(void)
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

void check_clean(void)
{
	if (count_ours())
		die("something of gotap is left in process %d", process.pid);
	check_text();
}

/* --- calls and their patches --- */

struct patch patches[PATCHES];
size_t n_patches;
static int probes[PATCHES];

/* The first @max calls of a function that only compiled Go code calls. */
void find_calls(const char *name, size_t max)
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
void write_stubs(const struct injected *in, uint64_t function)
{
	uint8_t stub[14] = { 0xff, 0x25 };
	struct error err;
	size_t i;

	memcpy(stub + 6, &function, 8);
	for (i = 0; i < n_patches; i++) {
		patches[i].to = in->code + i * STUB;
		if (inject_write(&process, in, patches[i].to, stub, sizeof(stub), &err))
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

void attach(void)
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

void detach(void)
{
	size_t i;

	for (i = 0; i < n_patches; i++)
		close(probes[i]);
}

void change_calls(bool undo)
{
	int mem = vm_open(&process);
	struct error err;

	if (mem < 0 || patch_apply(&process, mem, patches, n_patches, undo, &err))
		die("%s", mem < 0 ? strerror(-mem) : err.text);
	close(mem);
}

void apply(bool undo)
{
	size_t i;

	attach();
	change_calls(undo);
	detach();
	for (i = 0; i < n_patches; i++)
		if (patches[i].done == undo)
			die("call at %#" PRIx64 ": %s", patches[i].addr, patches[i].why);
}

/* --- in and out --- */

int try_inject(int timeout_ms, struct injected *in, struct error *err)
{
	return inject_memory(&process, &hosts, text_lo, text_hi, CODE_SIZE, SHARED_SIZE, timeout_ms, in, err);
}

void inject(struct injected *in)
{
	struct error err;

	if (inject_possible(&process, &err) || try_inject(TIMEOUT_MS, in, &err))
		die("%s", err.text);
}

void set_control(const struct injected *in, uint64_t shared)
{
	struct inline_control control = { shared };
	struct error err;

	if (inject_write(&process, in, in->code + in->code_size, &control, sizeof(control), &err))
		die("%s", err.text);
}

void take_out(struct injected *in)
{
	struct error err;

	if (inject_remove(&process, &hosts, in, TIMEOUT_MS, &err))
		die("%s", err.text);
	injected_close(in);
}
