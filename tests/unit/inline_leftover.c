// SPDX-License-Identifier: Apache-2.0
/*
 * leftover: memory of a gotap that is gone is found, and nothing that only looks like it; the numbers in it are
 * not believed.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "inline.h"
#include "inline/leftover.h"
#include "inline/vm.h"
#include "inline_child.h"

enum { SIZE = 65536, CODE = 8192, PAGE = 4096 };

__asm__(".text\n"
	"text_start: nop\n"
	"a_call: call a_function\n"
	"a_test: cmpb $0, a_flag(%rip)\n"
	"a_function: ret\n"
	"text_end: nop\n"
	".local a_flag\n.comm a_flag, 1, 1\n");
extern uint8_t text_start[], a_call[], a_test[], text_end[];

/* What the child has: */
static struct {
	bool mapped, locked, no_code, other_place;
	uint64_t magic;
	const char *name;
	uint8_t *near;		/* CODE + PAGE bytes of r-x, then rw-; within reach of the text */
} with;

static uint8_t *make_code(void)
{
	uint8_t *at = (uint8_t *)(((uintptr_t)text_end + (512 << 20)) & ~(uintptr_t)(PAGE - 1));
	uint8_t *m = mmap(at, CODE + PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED || mprotect(m + CODE, PAGE, PROT_READ | PROT_WRITE))
		_exit(2);
	return m;
}

static void be_left(int ready)
{
	struct inline_shared begin = { .magic = with.magic, .size = SIZE, .code = (uintptr_t)with.near,
				      .code_size = CODE };
	int fd = memfd_create(with.name, MFD_ALLOW_SEALING);

	if (with.other_place)
		begin.code = (uintptr_t)text_start & ~(uintptr_t)(PAGE - 1);
	if (fd < 0 || ftruncate(fd, SIZE) || pwrite(fd, &begin, sizeof(begin), 0) != sizeof(begin) ||
	    (with.locked && flock(fd, LOCK_EX)))
		_exit(2);
	if (with.mapped) {
		if (mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(2);
		if (!with.locked)
			close(fd);
	}
	child_is_ready(ready);
	for (;;)
		pause();
}

static void set_up(void)
{
	memset(&with, 0, sizeof(with));
	with.mapped = true;
	with.magic = INLINE_MAGIC;
	with.name = INLINE_NAME;
	with.near = make_code();	/* a forked child has it, too */
}

static void tear_down(void)
{
	munmap(with.near, CODE + PAGE);
}

static void write_to(const struct child *c, const void *addr, const void *data, size_t n)
{
	int mem = vm_open(&c->p);

	CHECK(mem >= 0 && !vm_write(mem, (uintptr_t)addr, data, n));
	close(mem);
}

static void lead(const struct child *c, const uint8_t *insn, size_t at, size_t len, const uint8_t *to)
{
	int32_t far = (int32_t)(to - (insn + len));

	write_to(c, insn + at, &far, 4);
}

static int find(const struct child *c, struct injected *in, struct vec *patches)
{
	int r = leftover_find(&c->p, &(struct inject_hosts){0}, (uintptr_t)text_start, (uintptr_t)text_end, -1, in, patches, NULL);

	injected_close(in);
	return r;
}

static void memory_and_patches(void)
{
	struct vec patches = {0};
	struct injected in;
	struct child c;

	set_up();
	child_start(&c, be_left);
	lead(&c, a_call, 1, 5, with.near + 100);
	lead(&c, a_test, 2, 7, with.near + CODE + 8);
	write_to(&c, text_start, "\xcc", 1);	/* somebody's breakpoint is none of ours */
	write_to(&c, a_call, "\xcc", 1);
	CHECK_EQ(find(&c, &in, &patches), 1);
	CHECK_EQ(in.code, (uintptr_t)with.near);
	CHECK_EQ(in.code_size, CODE);
	CHECK_EQ(in.shared_size, SIZE);
	CHECK_EQ(patches.len, 2);
	if (patches.len == 2) {
		const struct patch *a = vec_at(&patches, struct patch, 0), *b = a + 1;

		CHECK(a->addr == (uintptr_t)a_call && a->len == 5 && a->at == 1 && a->done);
		CHECK(a->to == (uintptr_t)with.near + 100 && !memcmp(a->bytes, a_call, 5));
		CHECK(b->addr == (uintptr_t)a_test && b->len == 7 && b->at == 2 && b->done);
		CHECK(b->to == (uintptr_t)with.near + CODE + 8 && !memcmp(b->bytes, a_test, 7));
	}
	vec_free(&patches);
	child_end(&c);
	tear_down();
}

/* Only an instruction that differs in its operand alone and leads into the code is a patch. */
static void other_differences(void)
{
	struct vec patches = {0};
	struct injected in;
	struct child c;

	set_up();
	child_start(&c, be_left);
	lead(&c, a_call, 1, 5, with.near + CODE + PAGE);
	lead(&c, a_test, 2, 7, with.near + 8);
	write_to(&c, a_test + 6, "\x01", 1);
	CHECK_EQ(find(&c, &in, &patches), 1);
	CHECK_EQ(patches.len, 0);
	vec_free(&patches);
	child_end(&c);
	tear_down();
}

static int find_in_child(struct injected *in)
{
	struct vec patches = {0};
	struct child c;
	int r;

	child_start(&c, be_left);
	r = find(&c, in, &patches);
	CHECK_EQ(patches.len, 0);
	vec_free(&patches);
	child_end(&c);
	tear_down();
	return r;
}

static void an_address_that_is_not_code(void)
{
	struct injected in;

	set_up();
	with.other_place = true;
	CHECK_EQ(find_in_child(&in), 1);
	CHECK_EQ(in.code, 0);
	CHECK_EQ(in.code_size, 0);
}

static void a_gotap_that_lives(void)
{
	struct injected in;

	set_up();
	with.locked = true;
	CHECK_EQ(find_in_child(&in), -EBUSY);
}

static void another_name(void)
{
	struct injected in;

	set_up();
	with.name = INLINE_NAME "s";
	CHECK_EQ(find_in_child(&in), 0);
}

static void another_begin(void)
{
	struct injected in;

	set_up();
	with.magic++;
	CHECK_EQ(find_in_child(&in), 0);
}

static void an_open_file_alone(void)
{
	struct injected in;

	set_up();
	with.mapped = false;
	CHECK_EQ(find_in_child(&in), 1);
	CHECK_EQ(in.shared, 0);
	CHECK_EQ(in.code, 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(memory_and_patches), UNIT(other_differences), UNIT(an_address_that_is_not_code),
			UNIT(a_gotap_that_lives),
		UNIT(another_name), UNIT(another_begin), UNIT(an_open_file_alone), {0} });
}
