// SPDX-License-Identifier: Apache-2.0
/* patch: operands of a child's code are changed under a breakpoint only, and put back only if they are ours. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/personality.h>

#include "inline/patch.h"
#include "inline/vm.h"
#include "inline_child.h"

/* Instructions that nobody runs: a call, and a test of a flag. */
__asm__(".text\n"
	"a_call: call a_function\n"
	"a_test: cmpb $0, a_flag(%rip)\n"
	"a_function: ret\n"
	".local a_flag\n.comm a_flag, 1, 1\n");
extern uint8_t a_call[], a_test[];

/*
 * Calls at each distance from the end of a page: a processor and a killed writer find no half of an operand only if it lies in
 * one page.
 */
__asm__(".text\n.balign 4096\nborder: .fill 4088, 1, 0x90\n"
	".fill 16, 1, 0xe8\n"
	".balign 4096\n");
extern uint8_t border[];

static struct child child;
static int mem;		/* of the child */

static void wait_for_ever(int ready)
{
	child_is_ready(ready);
	for (;;)
		pause();
}

/* A process that runs this program, and execs it again when it is asked to. */
struct execing {
	struct process p;
	int tell, hear;
	uint64_t a_call;	/* the address there */
};

/*
 * exec'ed by start_execing(): says where it has a_call, and execs itself when it is sent a byte. The argument more moves the
 * begin of the stack, by which process_execed() knows one program from the other; a_call stays where it is.
 */
static int exec_when_asked(void)
{
	uint64_t at = (uintptr_t)a_call;
	char byte;

	if (write(STDOUT_FILENO, &at, sizeof(at)) == sizeof(at) && read(STDIN_FILENO, &byte, 1) == 1)
		execl("/proc/self/exe", "inline_patch", "exec", "again, with an argument more", NULL);
	return 1;
}

static void run_execing(int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	personality(ADDR_NO_RANDOMIZE);
	execl("/proc/self/exe", "inline_patch", "exec", NULL);
	_exit(1);
}

static void start_execing(struct execing *e)
{
	struct procfs fs;
	int in[2], out[2];
	pid_t pid;

	CHECK(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC));
	pid = fork();
	if (!pid)
		run_execing(in[0], out[1]);
	close(in[0]);
	close(out[1]);
	e->tell = in[1];
	e->hear = out[0];
	CHECK_EQ(read(e->hear, &e->a_call, sizeof(e->a_call)), sizeof(e->a_call));
	CHECK(!procfs_open(&fs, NULL, NULL) && !process_open(&e->p, &fs, pid, NULL));
}

static void exec_again(struct execing *e)
{
	CHECK_EQ(write(e->tell, "e", 1), 1);
	CHECK_EQ(read(e->hear, &e->a_call, sizeof(e->a_call)), sizeof(e->a_call));
}

static void end_execing(struct execing *e)
{
	kill(e->p.pid, SIGKILL);
	waitpid(e->p.pid, NULL, 0);
	process_close(&e->p);
	close(e->tell);
	close(e->hear);
}

static void check_bytes(int of, uint64_t addr, const void *bytes, size_t n)
{
	uint8_t now[16];

	CHECK(vm_read_open(of, addr, now, n) && !memcmp(now, bytes, n));
}

static struct patch patch_of(const uint8_t *insn, uint8_t len, uint8_t at, uint64_t to)
{
	struct patch pt = { .addr = (uintptr_t)insn, .len = len, .at = at, .to = to };

	memcpy(pt.bytes, insn, len);
	return pt;
}

static void set_byte(uint64_t addr, uint8_t byte)
{
	CHECK(!vm_write(mem, addr, &byte, 1));
}

/* Is the operand as @to has it? NULL: as in the file. */
static bool leads_to(const struct patch *pt, const uint64_t *to)
{
	uint8_t now[8];
	int32_t far;

	if (vm_read(&child.p, pt->addr, now, pt->len) != pt->len)
		return false;
	memcpy(&far, now + pt->at, 4);
	return to ? pt->addr + pt->len + (uint64_t)(int64_t)far == *to : !memcmp(now + 1, pt->bytes + 1, pt->len - 1u);
}

static void there_and_back(const uint8_t *insn, uint8_t len, uint8_t at)
{
	struct patch pt = patch_of(insn, len, at, (uintptr_t)insn + 0x123456);

	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
	CHECK(!pt.done && leads_to(&pt, NULL));		/* no breakpoint */
	CHECK(strstr(pt.why, "breakpoint"));
	set_byte(pt.addr, 0xcc);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
	CHECK(pt.done && leads_to(&pt, &pt.to));
	CHECK_STR(pt.why, "");
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));	/* is in place: nothing to do */
	CHECK(pt.done);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, true, NULL));
	CHECK(!pt.done && leads_to(&pt, NULL));
	set_byte(pt.addr, insn[0]);
}

static void calls(void) { there_and_back(a_call, 5, 1); }
static void tests_of_flags(void) { there_and_back(a_test, 7, 2); }

static void operands_in_two_pages_are_never_written(void)
{
	int at;

	for (at = 4088; at < 4097; at++) {
		struct patch pt = patch_of(border + at, 5, 1, (uintptr_t)border + 0x123456);
		bool torn = at > 4096 - 5 && at < 4095;

		CHECK_EQ(patch_is_torn(&pt), torn);
		set_byte(pt.addr, 0xcc);
		CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
		CHECK_EQ(pt.done, !torn);
		CHECK(leads_to(&pt, torn ? NULL : &pt.to));
		CHECK(!torn || strstr(pt.why, "two pages"));
		CHECK(!patch_apply(&child.p, mem, &pt, 1, true, NULL));
		CHECK(leads_to(&pt, NULL));
		set_byte(pt.addr, border[at]);
	}
}

static void other_code_is_left_alone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);

	set_byte(pt.addr, 0xcc);
	pt.bytes[3] ^= 1;
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
	CHECK(!pt.done && strstr(pt.why, "not as in the file"));
	pt.bytes[3] ^= 1;
	pt.to = pt.addr + (3ULL << 30);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
	CHECK(!pt.done && strstr(pt.why, "reach"));
	CHECK(leads_to(&pt, NULL));
	set_byte(pt.addr, a_call[0]);
}

static void only_ours_is_undone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);
	uint64_t other;

	set_byte(pt.addr, 0xcc);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, NULL));
	set_byte(pt.addr + 1, 0x77);
	other = pt.addr + 5 + (((pt.to - pt.addr - 5) & ~0xffULL) | 0x77);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, true, NULL));
	CHECK(pt.done && leads_to(&pt, &other));
	set_byte(pt.addr, a_call[0]);
}

/*
 * A program that execs itself, in the midst of an attach, at the same addresses: it has gotap's uprobes too, but none of gotap's
 * code.
 */
static void a_program_that_was_execed_is_left_alone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, 0);
	struct execing e;
	int before, after;

	start_execing(&e);
	pt.addr = e.a_call;
	pt.to = pt.addr + 4096;
	before = vm_open(&e.p);
	CHECK(!vm_write(before, pt.addr, "\xcc", 1));
	CHECK(!patch_apply(&e.p, before, &pt, 1, false, NULL));
	CHECK(pt.done);
	exec_again(&e);
	CHECK_EQ(e.a_call, pt.addr);
	CHECK(process_is_gone(&e.p));
	after = vm_open(&e.p);
	CHECK(!vm_write(after, pt.addr, "\xcc", 1));
	CHECK_EQ(patch_uncover(&e.p, before, &pt, 1, NULL), -EIO);
	check_bytes(after, pt.addr, "\xcc", 1);
	pt.done = false;
	CHECK(!patch_apply(&e.p, before, &pt, 1, false, NULL));
	CHECK(!pt.done);
	check_bytes(after, pt.addr + 1, pt.bytes + 1, pt.len - 1u);
	close(before);
	close(after);
	end_execing(&e);
}

static void a_process_that_is_gone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);
	struct error err = {0};

	kill(child.p.pid, SIGKILL);
	waitpid(child.p.pid, NULL, 0);
	CHECK(!patch_apply(&child.p, mem, &pt, 1, false, &err));
	CHECK(!pt.done && *pt.why);
	pt.done = true;
	CHECK_EQ(patch_uncover(&child.p, mem, &pt, 1, &err), -EIO);
	CHECK(*err.text);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "exec"))
		return exec_when_asked();
	child_start(&child, wait_for_ever);
	mem = vm_open(&child.p);
	return unit_main((struct unit_case[]){
		UNIT(calls), UNIT(tests_of_flags), UNIT(operands_in_two_pages_are_never_written),
		UNIT(other_code_is_left_alone), UNIT(only_ours_is_undone),
		UNIT(a_program_that_was_execed_is_left_alone),		UNIT(a_process_that_is_gone), {0} });
}
