// SPDX-License-Identifier: Apache-2.0
/*
 * symbols: names N distinct addresses of a Go program, spread over its text,
 * and then the same again: "OPEN_NS FIRST_NS AGAIN_NS N FRAMES".
 *
 *	symbols FILE N
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "symbol/symbol.h"
#include "target/gobin.h"

enum { MAX_FRAMES = 128 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static size_t name_all(struct symbolizer *s, uint64_t start, uint64_t end, size_t n)
{
	uint64_t step = (end - start) / n;
	struct frame frames[MAX_FRAMES];
	size_t i, total = 0;

	for (i = 0; i < n; i++) {
		uint64_t pc = start + step * i + 1;

		total += symbolizer_stack(s, &pc, 1, 0, frames, MAX_FRAMES);
	}
	return total;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, frames;
	uint64_t start, end, t[4];
	struct symbol_file file = { .path = argv[1], .dwarf = dwarf_isolated_new };
	struct symbolizer *s = NULL;
	struct gobin *b = NULL;
	struct error err = {0};

	if (!n || gobin_open(&b, argv[1], &err)) {
		fprintf(stderr, "symbols: %s\n", n ? err.text : "usage: symbols FILE N");
		return 2;
	}
	gobin_text_range(b, &start, &end);
	t[0] = now();
	if (symbolizer_open(&s, &file, SYMBOL_AUTO, &err)) {
		fprintf(stderr, "symbols: %s\n", err.text);
		return 1;
	}
	t[1] = now();
	frames = name_all(s, start, end, n);
	t[2] = now();
	name_all(s, start, end, n);
	t[3] = now();
	printf("%llu %llu %llu %zu %zu\n", (unsigned long long)(t[1] - t[0]),
	       (unsigned long long)(t[2] - t[1]), (unsigned long long)(t[3] - t[2]), n, frames);
	symbolizer_free(s);
	gobin_free(b);
	return 0;
}
