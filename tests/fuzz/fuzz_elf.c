// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_elf: everything that gotap asks of an executable, on arbitrary bytes.
 * Seeds: small Go programs, or nothing (the first input is enough to find the
 * ELF header).
 *
 *	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Iuser -Iinclude \
 *		tests/fuzz/fuzz_elf.c user/{plan,target,symbol,base}/X.c ... -ldw -lelf -lz
 */
#include <stdint.h>
#include <stdlib.h>

#include "plan/plan.h"
#include "target/callsites.h"
#include "target/exitsyscall.h"
#include "target/code.h"
#include "target/inlined.h"
#include "target/gobin_memory.h"
#include "target/offsets.h"
#include "target/prologue.h"
#include "target/ready_skip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const struct gobin *b)
{
	uint64_t start, end;

	gobin_text_range(b, &start, &end);
	if (start > end || (start < end && !gobin_bytes(b, start, end - start)))
		abort();
}

static void ask_code(const struct gobin *b)
{
	struct vec sites = {0};
	struct gobin_func fn;
	struct site site;
	uint64_t off;
	int second, third;
	size_t i;

	if (gobin_func(b, "runtime.casgstatus", &fn))
		return;
	if (!prologue_site_of(b, &fn, &site, NULL) && site.offset + site.len > fn.size)
		abort();
	gobin_file_offset(b, fn.addr, &off);
	callsites_find(b, fn.addr, &sites);
	for (i = 0; i < sites.len && i < 64; i++)
		callsite_constants(b, vec_at(&sites, struct callsite, i), &second, &third);
	vec_free(&sites);
}

static void ask_inlined(const struct gobin *b)
{
	static const char *const names[] = { "runtime.casgstatus", "runtime.releasep" };
	struct vec found = {0}, callers = {0};
	uint32_t offset;
	size_t i;

	inlined_find(b, names, 2, &found);
	for (i = 0; i < found.len && i < 64; i++) {
		const struct inlined *at = vec_at(&found, struct inlined, i);

		inlined_callers(b, at, &callers);
		inlined_cas_jump(b, &at->host, 152, &offset);
	}
	vec_free(&found);
	vec_free(&callers);
}

static void ask_runtime(const struct gobin *b)
{
	struct go_offsets offsets;
	struct exit_site exit_site;
	struct trace_hook hook;
	const char *source;
	uint64_t addr;
	int off;

	if (!go_offsets_for(b, true, &offsets, &source, NULL) &&
	    !exitsyscall_site(b, &offsets, &exit_site, NULL))
		exitsyscall_hook(b, &exit_site, &hook, NULL);
	ready_skip_slot(b, &off, NULL);
	gobin_data_symbol(b, "runtime.allgs", &addr);
}

/* What is to be patched lies in the file, at an instruction with an operand. */
static void check_patches(const struct gobin *b, const struct plan *p)
{
	size_t i;

	for (i = 0; i < p->points.len; i++) {
		const struct probe_point *point = vec_at(&p->points, struct probe_point, i);

		if (point->patch && (point->len > sizeof(point->bytes) || !gobin_bytes(b, point->addr, point->len)))
			abort();
		if (point->patch > PATCH_CALL && point->hook >= p->points.len)
			abort();
	}
}

static void ask_plan(const struct gobin *b)
{
	struct vec refs = {0};
	struct gobin_func fn;
	struct plan plan;
	unsigned int groups;

	if (!gobin_func(b, "runtime.casgstatus", &fn) && !references_find(b, &fn.addr, 1, &refs) &&
	    refs.len > REFERENCES_MAX)
		abort();
	vec_free(&refs);
	groups_parse("all", &groups);
	if (!plan_make_inline(&plan, b, groups, NULL))
		check_patches(b, &plan);
	plan_release(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gobin *b = NULL;

	if (gobin_open_memory(&b, data, size, "fuzz", NULL))
		return 0;
	gobin_build_setting(b, "-pgo");
	check_range(b);
	ask_code(b);
	ask_runtime(b);
	ask_inlined(b);
	ask_plan(b);
	gobin_free(b);
	return 0;
}
