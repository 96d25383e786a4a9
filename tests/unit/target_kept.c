// SPDX-License-Identifier: Apache-2.0
/*
 * kept: a call before which a function has stored its fourth argument for sure, in code made here: as (*ServeMux).ServeHTTP has
 * it, and changed so that the place may have another value. Programs of all releases are judged by tests/requests.bats.
 */
#include "unit.h"

#include <stdlib.h>

#include "target/code.h"
#include "target/gobin_memory.h"
#include "target_image.h"

enum { SIZE = 79, STORE = 36, RETURN = 56 };

static const uint8_t mux[SIZE] = {
	[0] = 0x49, 0x3b, 0x66, 0x10,			/* cmp 0x10(%r14),%rsp */
	[4] = 0x76, 62 - 6,				/* jbe 62 */
	[6] = 0x55, 0x48, 0x89, 0xe5,			/* push %rbp; mov %rsp,%rbp */
	[10] = 0x48, 0x83, 0xec, 0x20,			/* sub $0x20,%rsp */
	[14] = 0x48, 0x89, 0x5c, 0x24, 0x38,		/* mov %rbx,0x38(%rsp) */
	[19] = 0x48, 0x83, 0x3f, 0x01,			/* cmpq $1,(%rdi) */
	[23] = 0x75, STORE - 25,			/* jne 36 */
	[25] = 0xff, 0xd2,				/* call *%rdx */
	[27] = 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3,	/* add $0x20,%rsp; pop %rbp; ret */
	[33] = 0x0f, 0x1f, 0x00,
	[STORE] = 0x48, 0x89, 0x7c, 0x24, 0x48,		/* mov %rdi,0x48(%rsp) */
	[41] = 0xe8, 0, 0, 0, 0,			/* call of another function */
	[46] = 0x48, 0x8b, 0x54, 0x24, 0x48,		/* mov 0x48(%rsp),%rdx */
	[51] = 0x48, 0x89, 0xd7,			/* mov %rdx,%rdi */
	[54] = 0xff, 0xd6,				/* call *%rsi */
	[RETURN] = 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3,
	[62] = 0x48, 0x89, 0x7c, 0x24, 0x20,		/* mov %rdi,0x20(%rsp) */
	[67] = 0xe8, 0, 0, 0, 0,			/* call of runtime.morestack */
	[72] = 0x48, 0x8b, 0x7c, 0x24, 0x20,		/* mov 0x20(%rsp),%rdi */
	[77] = 0xeb, 0xb1,				/* jmp 0 */
};

struct row {
	const char *name;
	uint8_t at, n, bytes[9];	/* what is changed */
	bool refused;
};

static const struct row rows[] = {
	{ .name = "as it is" },
	{ "a way leads around the store", 23, 2, { 0x75, 41 - 25 }, true },
	{ "a way leads to the call", 23, 2, { 0x75, 54 - 25 }, true },
	{ "another register is stored", STORE, 5, { 0x48, 0x89, 0x74, 0x24, 0x48 }, true },
	{ "half of the register is stored", STORE, 5, { 0x40, 0x89, 0x7c, 0x24, 0x48 }, true },
	{ "it is stored elsewhere", STORE, 5, { 0x48, 0x89, 0x7c, 0x24, 0x40 }, true },
	{ "the register has another value", 19, 4, { 0x48, 0x8b, 0x3f, 0x90 }, true },
	{ "a call comes before the store", 27, 9, { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, true },
	{ "the store runs again after the call", 60, 2, { 0xeb, (uint8_t)(STORE - 62) }, true },
	{ "the place changes after the store", 46, 5, { 0x48, 0x89, 0x54, 0x24, 0x48 }, true },
	{ "a part of it changes", 46, 5, { 0x88, 0x54, 0x24, 0x4c, 0x90 }, true },
	{ "a wider store reaches it", 46, 5, { 0x0f, 0x11, 0x44, 0x24, 0x40 }, true },
	{ "its address is taken", 46, 5, { 0x48, 0x8d, 0x54, 0x24, 0x48 }, true },
	{ "a second function is called so", 41, 5, { 0xff, 0xd2, 0x90, 0x90, 0x90 }, true },
	{ "no function is called so", 54, 2, { 0x66, 0x90 }, true },
	{ "a jump leads to an address in a register", 51, 3, { 0xff, 0xe6, 0x90 }, true },
	{ "an instruction is not known", 46, 1, { 0xd8 }, true },
	{ "there is no stack check", 4, 2, { 0x66, 0x90 }, true },
	{ "there is no frame", 10, 4, { 0x90, 0x90, 0x90, 0x90 }, true },
};

static struct gobin *make_program(struct image *m, const struct row *row, uint64_t *at)
{
	uint8_t text[128];
	size_t i;

	memset(text, 0xc3, sizeof(text));
	memcpy(text, mux, SIZE);
	memcpy(text + row->at, row->bytes, row->n);
	image_begin(m);
	i = image_section(m, ".text", SHT_PROGBITS, IMAGE_CODE, text, sizeof(text));
	*at = m->headers[i].sh_addr;
	image_buildinfo(m, "go1.27.1", "");
	return image_open(m);
}

static void check_row(const void *p)
{
	const struct row *row = p;
	struct image m;
	uint64_t at;
	struct gobin *b = make_program(&m, row, &at);
	struct gobin_func fn = { .name = "mux", .addr = at, .size = SIZE };

	CHECK_EQ(code_call_with_kept_fourth(b, &fn), row->refused ? 0 : at + RETURN);
	gobin_free(b);
	image_free(&m);
}

int main(void)
{
	struct unit_case cases[32] = { {0} };

	UNIT_ROWS(cases, rows, check_row);
	return unit_main(cases);
}
