// SPDX-License-Identifier: Apache-2.0
/* patch: see patch.h. */
#define _GNU_SOURCE
#include "inline/patch.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inline/hold.h"
#include "inline/vm.h"

enum { BREAKPOINT = 0xcc, OPERAND = 4, PAGE = 4096 };

/*
 * The command waits until each CPU has switched its task, was idle or took a timer interrupt in
 * user mode. Both the switch to a breakpoint's handler and the return of an interrupt make a CPU
 * fetch its instructions anew.
 */
int patch_barrier(struct error *err)
{
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return 0;
	return error_set(err, -errno,
			 "cannot wait for all CPUs to see changed code: membarrier: %s",
			 strerror(errno));
}

static void __attribute__((format(printf, 2, 3)))
patch_leave(struct patch *pt, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(pt->why, sizeof(pt->why), fmt, ap);
	va_end(ap);
}

/*
 * Stores the distance from the instruction's end to the destination in *@ret. False: it needs more
 * than 32 bits.
 */
static bool patch_reaches(const struct patch *pt, int32_t *ret)
{
	int64_t far = (int64_t)(pt->to - (pt->addr + pt->len));

	*ret = (int32_t)far;
	return far == *ret;
}

bool patch_is_torn(const struct patch *pt)
{
	uint64_t operand = pt->addr + pt->at;

	return operand / PAGE != (operand + OPERAND - 1) / PAGE;
}

static bool is_sane(const struct patch *pt)
{
	return pt->len <= sizeof(pt->bytes) && pt->at && pt->at + OPERAND <= pt->len;
}

/* @operand: the operand that must be there now. */
static bool looks_as_expected(struct patch *pt, const uint8_t now[8],
			      const uint8_t operand[OPERAND])
{
	uint8_t expected[8];

	memcpy(expected, pt->bytes, pt->len);
	memcpy(expected + pt->at, operand, OPERAND);
	if (now[0] != BREAKPOINT) {
		patch_leave(pt, "no breakpoint of gotap's is there (byte %02x)", now[0]);
		return false;
	}
	if (memcmp(now + 1, expected + 1, pt->len - 1u)) {
		patch_leave(pt, "the code there is not as in the file");
		return false;
	}
	return true;
}

/* Returns whether the operand that was written can be read back. */
static bool is_written(int mem, const struct patch *pt, const uint8_t operand[OPERAND])
{
	uint8_t now[OPERAND];

	return vm_read_open(mem, pt->addr + pt->at, now, OPERAND) && !memcmp(now, operand, OPERAND);
}

/*
 * Changes one instruction. 0: done, or not changed for the reason in pt->why; -errno: no byte can
 * be written.
 */
static int patch_change(int mem, struct patch *pt, bool undo)
{
	uint8_t now[8], ours[OPERAND];
	const uint8_t *from = undo ? ours : pt->bytes + pt->at,
		      *to = undo ? pt->bytes + pt->at : ours;
	int32_t far;
	int r;

	if (!undo && patch_is_torn(pt)) {
		patch_leave(pt, "its operand lies in two pages of memory");
		return 0;
	}
	if (!is_sane(pt) || !patch_reaches(pt, &far)) {
		patch_leave(pt, "gotap's code is out of its reach");
		return 0;
	}
	memcpy(ours, &far, OPERAND);
	if (!vm_read_open(mem, pt->addr, now, pt->len)) {
		patch_leave(pt, "it cannot be read");
		return 0;
	}
	if (!looks_as_expected(pt, now, from))
		return 0;
	INJECT_STEP();
	r = vm_write(mem, pt->addr + pt->at, to, OPERAND);
	if (r)
		return r;
	if (is_written(mem, pt, to))
		pt->done = !undo;
	else
		patch_leave(pt, "what was written is not what is there");
	return 0;
}

static int change_each(const struct process *p, int mem, struct patch *patches, size_t n, bool undo,
		       struct error *err)
{
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		if (patches[i].done != undo || patches[i].barred)
			continue;
		patches[i].why[0] = '\0';
		r = patch_change(mem, &patches[i], undo);
		if (r)
			return error_set(err, r, "cannot write into the code of process %d: %s",
					 p->pid, strerror(-r));
	}
	return 0;
}

int patch_apply(const struct process *p, int mem, struct patch *patches, size_t n, bool undo,
		struct error *err)
{
	int r = patch_barrier(err), barrier;

	if (r)
		return r;
	r = change_each(p, mem, patches, n, undo, err);
	barrier = patch_barrier(r ? NULL : err);
	return r ? r : barrier;
}

int patch_uncover(const struct process *p, int mem, const struct patch *patches, size_t n,
		  struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < n && !r; i++) {
		INJECT_STEP();
		if (patches[i].done)
			r = vm_write(mem, patches[i].addr, patches[i].bytes, 1);
	}
	if (r)
		return error_set(err, r, "cannot write into the code of process %d: %s", p->pid,
				 strerror(-r));
	return patch_barrier(err);
}

void patch_look(const struct process *p, struct patch *patches, size_t n)
{
	uint8_t now[8];
	size_t i;

	for (i = 0; i < n; i++) {
		struct patch *pt = &patches[i];

		pt->barred = !is_sane(pt) || vm_read(p, pt->addr, now, pt->len) != pt->len ||
			     memcmp(now, pt->bytes, pt->len);
		if (pt->barred)
			patch_leave(pt, "the code there is not as in the file: somebody else's "
					"breakpoint?");
	}
}

ssize_t patch_disturbed(const struct process *p, const struct patch *patches, size_t n)
{
	uint8_t now;
	size_t i;

	for (i = 0; i < n; i++)
		if (patches[i].done && vm_read(p, patches[i].addr, &now, 1) == 1 &&
		    now != patches[i].bytes[0])
			return (ssize_t)i;
	return -1;
}
