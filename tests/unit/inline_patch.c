// SPDX-License-Identifier: Apache-2.0
/* patch: operands of a child's code are changed under a breakpoint only, and put back only if they are ours. */
#include "unit.h"

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

static struct child child;

static void wait_for_ever(int ready)
{
	child_is_ready(ready);
	for (;;)
		pause();
}

static struct patch patch_of(const uint8_t *insn, uint8_t len, uint8_t at, uint64_t to)
{
	struct patch pt = { .addr = (uintptr_t)insn, .len = len, .at = at, .to = to };

	memcpy(pt.bytes, insn, len);
	return pt;
}

static void set_byte(uint64_t addr, uint8_t byte)
{
	int mem = vm_open(&child.p);

	CHECK(mem >= 0 && !vm_write(mem, addr, &byte, 1));
	close(mem);
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

	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));
	CHECK(!pt.done && leads_to(&pt, NULL));		/* no breakpoint */
	CHECK(strstr(pt.why, "breakpoint"));
	set_byte(pt.addr, 0xcc);
	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));
	CHECK(pt.done && leads_to(&pt, &pt.to));
	CHECK_STR(pt.why, "");
	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));	/* is in place: nothing to do */
	CHECK(pt.done);
	CHECK(!patch_apply(&child.p, &pt, 1, true, NULL));
	CHECK(!pt.done && leads_to(&pt, NULL));
	set_byte(pt.addr, insn[0]);
}

static void calls(void) { there_and_back(a_call, 5, 1); }
static void tests_of_flags(void) { there_and_back(a_test, 7, 2); }

static void other_code_is_left_alone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);

	set_byte(pt.addr, 0xcc);
	pt.bytes[3] ^= 1;
	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));
	CHECK(!pt.done && strstr(pt.why, "not as in the file"));
	pt.bytes[3] ^= 1;
	pt.to = pt.addr + (3ULL << 30);
	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));
	CHECK(!pt.done && strstr(pt.why, "reach"));
	CHECK(leads_to(&pt, NULL));
	set_byte(pt.addr, a_call[0]);
}

static void only_ours_is_undone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);
	uint64_t other;

	set_byte(pt.addr, 0xcc);
	CHECK(!patch_apply(&child.p, &pt, 1, false, NULL));
	set_byte(pt.addr + 1, 0x77);
	other = pt.addr + 5 + (((pt.to - pt.addr - 5) & ~0xffULL) | 0x77);
	CHECK(!patch_apply(&child.p, &pt, 1, true, NULL));
	CHECK(pt.done && leads_to(&pt, &other));
	set_byte(pt.addr, a_call[0]);
}

static void a_process_that_is_gone(void)
{
	struct patch pt = patch_of(a_call, 5, 1, (uintptr_t)a_call + 4096);
	struct error err = {0};

	kill(child.p.pid, SIGKILL);
	waitpid(child.p.pid, NULL, 0);
	CHECK(patch_apply(&child.p, &pt, 1, false, &err) < 0);
	CHECK(!pt.done && *err.text);
}

int main(void)
{
	child_start(&child, wait_for_ever);
	return unit_main((struct unit_case[]){
		UNIT(calls), UNIT(tests_of_flags), UNIT(other_code_is_left_alone), UNIT(only_ours_is_undone),
		UNIT(a_process_that_is_gone), {0} });
}
