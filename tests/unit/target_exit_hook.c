// SPDX-License-Identifier: Apache-2.0
/*
 * exitsyscall: where it asks the runtime's tracer, in code made here: as Go 1.26 has it, and changed so that
 * a patch of it would do something else.
 */
#include "unit.h"

#include <stdlib.h>

#include "base/vec.h"
#include "target/exitsyscall.h"
#include "target/gobin_memory.h"
#include "target_image.h"

enum {
	SIZE = 64, JUMP = 27, TEST = 29, CALL = 44, ENABLED = SIZE, ACQUIRE = SIZE + 16, OTHER = SIZE + 32,
	TEXT = SIZE + 48, FLAG = 0x1000,
};

static const uint8_t exitsyscall[SIZE] = {
	[0] = 0x74, 0x00,						/* je to the next */
	[2] = 0xf0, 0x0f, 0xb1, 0x91, 0x90, 0x00, 0x00, 0x00,		/* lock cmpxchg %edx,0x90(%rcx) */
	[10] = 0x48, 0x8b, 0xb2, 0xe0, 0x00, 0x00, 0x00,		/* mov 0xe0(%rdx),%rsi */
	[17] = 0x48, 0x8b, 0x92, 0xd0, 0x00, 0x00, 0x00,		/* mov 0xd0(%rdx),%rdx */
	[24] = 0x48, 0x85, 0xd2,					/* test %rdx,%rdx */
	[JUMP] = 0x74, 0x1a,						/* je 55 */
	[TEST] = 0x80, 0x3d, FLAG & 0xff, FLAG >> 8, 0x00, 0x00, 0x00,	/* cmpb $0,0x1000(%rip) */
	[36] = 0x75, 0x06,						/* jne 44 */
	[38] = 0x31, 0xdb, 0x31, 0xc0,					/* xor %ebx,%ebx; xor %eax,%eax */
	[42] = 0xeb, 0x05,						/* jmp 49 */
	[CALL] = 0xe8, ENABLED - CALL - 5, 0x00, 0x00, 0x00,
	[49] = 0x48, 0x85, 0xdb,					/* test %rbx,%rbx */
	[52] = 0x74, 0x00, 0xc3,					/* je 54; ret */
	[55] = 0x90, 0xc3,						/* nop; ret */
	[57] = 0x48, 0x85, 0xdb, 0xc3,					/* test %rbx,%rbx; ret */
};

struct row {
	const char *name;
	uint8_t at, n, bytes[8];	/* what is changed */
	bool refused;
	uint8_t call;			/* else: 0 means CALL, behind a test */
};

static const struct row rows[] = {
	{ .name = "as it is" },
	{ "with padding", 38, 4, { 0x31, 0xdb, 0x66, 0x90 }, .refused = false },
	{ "the tracer is called without a test", TEST, 7, { 0xe8, ACQUIRE - TEST - 5, 0, 0, 0, 0x66, 0x90 },
	  .call = TEST },
	{ "the test is of four bytes", TEST, 1, { 0x81 }, .refused = true },
	{ "the test is for another value", TEST + 6, 1, { 1 }, .refused = true },
	{ "the test is of another register's memory", TEST + 1, 1, { 0xb9 }, .refused = true },
	{ "the call is of another function", CALL + 1, 1, { OTHER - CALL - 5 }, .refused = true },
	{ "the jump behind the test is another", 36, 1, { 0x7c }, .refused = true },
	{ "the jump behind the test is reversed", 36, 1, { 0x74 }, .refused = true },
	{ "nothing is cleared where the tracer is off", 38, 2, { 0x66, 0x90 }, .refused = true },
	{ "another register is cleared where the tracer is off", 38, 2, { 0x31, 0xc9 }, .refused = true },
	{ "the answer is looked for in another register", 49, 3, { 0x48, 0x85, 0xc9 }, .refused = true },
	{ "the two ways do not meet", 42, 2, { 0xeb, 57 - 44 }, .refused = true },
	{ "the start leads to the test, too", 0, 2, { 0x74, TEST - 2 }, .refused = true },
	{ "the start leads to the call, too", 0, 2, { 0x74, CALL - 2 }, .refused = true },
	{ "the way without a P leads to the test, too", 55, 2, { 0xeb, (uint8_t)(TEST - 57) }, .refused = true },
	{ "the way without a P leads to the call, too", 55, 2, { 0xeb, (uint8_t)(CALL - 57) }, .refused = true },
	{ "the test runs again", 52, 2, { 0x74, (uint8_t)(TEST - 54) }, .refused = true },
	{ "the test cannot be decoded", TEST, 1, { 0xd8 }, .refused = true },
};

static struct gobin *make_program(struct image *m, const struct row *row, uint64_t *at)
{
	static const char names[] =
		"\0runtime.exitsyscall\0runtime.traceAcquireEnabled\0runtime.traceAcquire\0runtime.other";
	unsigned char func = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	uint8_t text[TEXT];
	Elf64_Sym symbols[5] = { {0} };
	size_t i, symtab;

	memset(text, 0xc3, sizeof(text));
	memcpy(text, exitsyscall, SIZE);
	memcpy(text + row->at, row->bytes, row->n);
	image_begin(m);
	i = image_section(m, ".text", SHT_PROGBITS, IMAGE_CODE, text, sizeof(text));
	*at = m->headers[i].sh_addr;
	symbols[1] = (Elf64_Sym){ 1, func, 0, 1, *at, SIZE };
	symbols[2] = (Elf64_Sym){ 21, func, 0, 1, *at + ENABLED, 16 };
	symbols[3] = (Elf64_Sym){ 49, func, 0, 1, *at + ACQUIRE, 16 };
	symbols[4] = (Elf64_Sym){ 70, func, 0, 1, *at + OTHER, 16 };
	symtab = image_section(m, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols));
	m->headers[symtab].sh_link = (Elf64_Word)(symtab + 1);
	m->headers[symtab].sh_entsize = sizeof(symbols[0]);
	image_section(m, ".strtab", SHT_STRTAB, 0, names, sizeof(names));
	image_buildinfo(m, "go1.26.1", "");
	return image_open(m);
}

static void check_row(const void *p)
{
	const struct row *row = p;
	struct go_offsets offsets = { .g_atomicstatus = 0x90, .m_oldp = 0xe0, .m_p = 0xd0 };
	struct exit_site site = {0};
	struct trace_hook hook = {0};
	struct error err;
	struct image m;
	uint64_t at;
	struct gobin *b = make_program(&m, row, &at);
	int r = exitsyscall_site(b, &offsets, &site, &err);

	/* changes of the start and of what the jump leads to may show in the jump already */
	if (!r) {
		CHECK_EQ(site.offset, JUMP);
		r = exitsyscall_hook(b, &site, &hook, &err);
	}
	CHECK_EQ(r != 0, row->refused);
	if (r && !row->refused)
		printf("# %s\n", err.text);
	if (!row->refused) {
		CHECK_EQ(hook.call, at + (row->call ? row->call : CALL));
		CHECK_EQ(hook.test, row->call ? 0 : at + TEST);
		CHECK_EQ(hook.flag, row->call ? 0 : at + TEST + 7 + FLAG);
		CHECK_STR(hook.callee, row->call ? "runtime.traceAcquire" : "runtime.traceAcquireEnabled");
	}
	gobin_free(b);
	image_free(&m);
}

int main(void)
{
	struct unit_case cases[32] = { {0} };

	UNIT_ROWS(cases, rows, check_row);
	return unit_main(cases);
}
