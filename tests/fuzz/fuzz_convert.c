// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_convert: bytes of v2 and v1 traces, whole or broken, through all that
 * `gotap convert` does. The first bytes choose the format and the part that is
 * wanted; the reader of that format must take every event of what comes out.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "legal.h"
#include "rewrite/convert.h"
#include "v1write/writer.h"

enum { RECIPE = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must_read_v1(const void *bytes, size_t n)
{
	struct v1_summary summary;
	struct error err;

	if (v1_check(bytes, n, &summary, &err)) {
		fprintf(stderr, "not legal: %s\n", err.text);
		abort();
	}
}

static void must_read(int fd, int format)
{
	size_t n = (size_t)lseek(fd, 0, SEEK_END);
	void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);

	if (v1_can_write(format))
		must_read_v1(bytes, n);
	else
		must_read_v2(bytes, n);
	munmap(bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const int formats[] = { 0, 22, 23, 25, 26, 8, 11, 19, 21, V1_GOTRACE };
	struct convert_options options = { .rewrite.to = INT64_MAX };
	struct rewrite_options *o = &options.rewrite;
	struct convert_result result;
	struct map64 goroutines = {0};
	struct raw_source source;
	struct error err;
	int fd;

	if (n <= RECIPE)
		return 0;
	o->format = formats[data[0] % 10];
	o->from = data[1] & 1 ? data[1] * 16 : 0;
	o->strip_stacks = data[3] & 1;
	map64_put(&goroutines, data[2], NULL);
	map64_put(&goroutines, 1, NULL);
	o->goroutines = data[2] & 1 ? &goroutines : NULL;
	source_open_memory(&source, data + RECIPE, n - RECIPE);
	fd = memfd_create("fuzz", 0);
	if (!convert_trace(&source, fd, &options, &result, &err))
		must_read(fd, o->format);
	close(fd);
	map64_free(&goroutines);
	return 0;
}
