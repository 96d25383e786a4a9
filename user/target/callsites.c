// SPDX-License-Identifier: Apache-2.0
/* callsites: see callsites.h. */
#include "target/callsites.h"

#include <string.h>

enum { CALL = 0xe8, CALL_LEN = 5 };

/* Every function of Go's runtime has far fewer callers; bounds hostile files. */
enum { MAX_SITES = 1 << 16 };

static void add_site(const struct gobin *b, uint64_t return_addr, struct vec *ret)
{
	struct callsite *site = vec_push(ret, sizeof(*site));

	site->return_addr = return_addr;
	if (gobin_func_at(b, return_addr - 1, &site->func))
		site->func = (struct gobin_func){ .name = "", .addr = return_addr };
}

/* Called for every e8 byte, of which code of 37 MB has a million. */
static bool is_call_to(const uint8_t *p, uint64_t addr, uint64_t target)
{
	int32_t distance;

	memcpy(&distance, p + 1, sizeof(distance));
	return addr + CALL_LEN + (uint64_t)(int64_t)distance == target;
}

uint64_t callsites_first(const struct gobin *b, const struct gobin_func *fn, uint64_t target)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	size_t i;

	for (i = 0; code && i + CALL_LEN <= fn->size; i++)
		if (code[i] == CALL && is_call_to(code + i, fn->addr + i, target))
			return fn->addr + i + CALL_LEN;
	return 0;
}

void callsites_find(const struct gobin *b, uint64_t target, struct vec *ret)
{
	const uint8_t *code, *p, *last;
	uint64_t start, end;
	size_t left = MAX_SITES;

	gobin_runtime_range(b, &start, &end);
	code = gobin_bytes(b, start, end - start);
	if (!code || end - start < CALL_LEN)
		return;
	last = code + (end - start) - CALL_LEN;
	for (p = code; p <= last && left; p++) {
		p = memchr(p, CALL, (size_t)(last - p) + 1);
		if (!p)
			return;
		if (is_call_to(p, start + (uint64_t)(p - code), target)) {
			add_site(b, start + (uint64_t)(p - code) + CALL_LEN, ret);
			left--;
		}
	}
}
