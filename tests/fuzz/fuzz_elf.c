// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_elf: everything that gotap asks of an executable, on arbitrary bytes.
 * Seeds: small Go programs, or nothing (the first input is enough to find the
 * ELF header).
 *
 *	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Iuser -Iinclude \
 *		tests/fuzz/fuzz_elf.c user/target/X.c ... user/base/X.c ... -ldw -lelf -lz
 */
#include <stdint.h>
#include <stdlib.h>

#include "target/callsites.h"
#include "target/exitsyscall.h"
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

	if (gobin_func(b, "runtime.casgstatus", &fn))
		return;
	if (!prologue_site_of(b, &fn, &site, NULL) && site.offset + site.len > fn.size)
		abort();
	gobin_file_offset(b, fn.addr, &off);
	callsites_find(b, fn.addr, &sites);
	vec_free(&sites);
}

static void ask_runtime(const struct gobin *b)
{
	struct go_offsets offsets;
	struct exit_site exit_site;
	const char *source;
	uint64_t addr;
	int off;

	if (!go_offsets_for(b, true, &offsets, &source, NULL))
		exitsyscall_site(b, &offsets, &exit_site, NULL);
	ready_skip_slot(b, &off, NULL);
	gobin_data_symbol(b, "runtime.allgs", &addr);
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
	gobin_free(b);
	return 0;
}
