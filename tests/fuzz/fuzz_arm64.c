// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_arm64: the machine code of arm64, on arbitrary words. They are the code of a program that has
 * all functions that the plan looks at, one after the other; the first byte says of which release. A
 * probe that is not at an instruction of the code, or at one that must not have a probe, is a crash.
 *
 *	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Iuser -Iinclude \
 *		tests/fuzz/fuzz_arm64.c user/{plan,target,symbol,base}/X.c ... -ldw -lelf -lz
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/target_image.h"
#include "plan/plan.h"
#include "target/arm64/walk.h"
#include "target/code_ops.h"
#include "target/gobin_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
#define PROGRAM(...)
#define PROBE(program, function, since, until, where, need, lacks) function,
#include "plan/probes.def"
#undef PROGRAM
#undef PROBE
	"runtime.ready", "runtime.mallocgc", "runtime.park_m", "runtime.semacquire1",
	"runtime.acquireSudog", "runtime.systemstack", "runtime.systemstack_switch",
	"runtime.(*mheap).allocManual", "runtime.postMallocgcDebug", "runtime.tracealloc",
	"runtime.traceLocker.GCMarkAssistDone", "runtime.traceNextGC", "runtime.traceHeapAlloc",
	"runtime.wakep", "runtime.newMarkBits", "runtime.load_g", "runtime.sigpanic",
};

enum { NAMES = sizeof(names) / sizeof(names[0]), CODE = 1 << 14 };

/* Each name once, with a part of the code that begins at a word. */
static void add_symbols(struct image *m, uint64_t at, size_t size)
{
	Elf64_Sym symbols[NAMES + 1] = { { 0 } };
	size_t i, table, part = size / NAMES / ARM64_LEN * ARM64_LEN;
	struct buf text = {0};

	buf_add_byte(&text, 0);
	for (i = 0; i < NAMES; i++) {
		symbols[i + 1] = (Elf64_Sym){
			.st_name = (Elf64_Word)text.len,
			.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = 1, .st_value = at + i * part,
			.st_size = i + 1 < NAMES ? part * (1 + i % 3) : size - i * part,
		};
		buf_add(&text, names[i], strlen(names[i]) + 1);
	}
	table = image_section(m, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols));
	m->headers[table].sh_link = (Elf64_Word)(table + 1);
	m->headers[table].sh_entsize = sizeof(symbols[0]);
	image_section(m, ".strtab", SHT_STRTAB, 0, text.data, text.len);
	buf_free(&text);
}

/* The words over and over, until there is enough code for all functions. */
static void make_program(struct image *m, int minor, const uint8_t *data, size_t size)
{
	static uint8_t code[CODE];
	char version[16];
	size_t i, section;

	for (i = 0; i < CODE; i += ARM64_LEN)
		memcpy(code + i, data + i % size, ARM64_LEN);
	image_begin(m);
	section = image_section(m, ".text", SHT_PROGBITS, IMAGE_CODE, code, sizeof(code));
	add_symbols(m, m->headers[section].sh_addr, sizeof(code));
	snprintf(version, sizeof(version), "go1.%d.1", minor);
	image_buildinfo(m, version, "");
	image_finish(m);
	m->file.data[18] = EM_AARCH64;
}

static void check_plan(const struct gobin *b, const struct plan *p)
{
	uint64_t start, end;
	size_t i;

	gobin_text_range(b, &start, &end);
	for (i = 0; i < p->points.len; i++) {
		uint64_t addr = vec_at(&p->points, struct probe_point, i)->addr;

		if (addr % ARM64_LEN || addr < start || addr >= end || !code_may_probe(b, addr))
			abort();
	}
}

static void check_words(const uint8_t *data, size_t size)
{
	struct vec ends = {0};
	struct function_sweep sweep = { .ends = &ends };
	uint32_t bad = 0;
	struct site site;

	if (arm64_function_sweep(data, size, &sweep, &bad) && bad >= size)
		abort();
	if (!arm64_prologue_site(data, size, &site) &&
	    (site.offset % ARM64_LEN || site.offset + ARM64_LEN > size ||
	     (site.kind == SITE_CALL && (!site.frame || site.drop_taken))))
		abort();
	vec_free(&ends);
	vec_free(&sweep.jumps);
}

/* What only a program with a function table asks: places behind atomic operations that -pgo has inlined. */
static void check_inlined(const struct gobin *b, unsigned int field)
{
	struct gobin_func fn;
	uint32_t offset;
	int reg;

	if (gobin_func(b, "runtime.ready", &fn))
		return;
	if (!inlined_cas_jump(b, &fn, field, &offset) && (offset % ARM64_LEN || offset >= fn.size))
		abort();
	if (!inlined_add_jump(b, &fn, "runtime.ready", &offset, &reg) &&
	    (offset % ARM64_LEN || offset >= fn.size || !code_is_readable(b, reg)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gobin *b = NULL;
	struct image m;
	struct plan plan;
	unsigned int groups;

	if (size < 1 + ARM64_LEN)
		return 0;
	check_words(data + 1, size - 1);
	make_program(&m, 15 + data[0] % 13, data + 1, (size - 1) / ARM64_LEN * ARM64_LEN);
	if (gobin_open_memory(&b, m.file.data, m.file.len, "fuzz", NULL))
		abort();
	groups_parse("all", &groups);
	plan_make(&plan, b, groups, NULL);
	check_plan(b, &plan);
	check_inlined(b, data[0]);
	plan_release(&plan);
	gobin_free(b);
	image_free(&m);
	return 0;
}
