// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_tables: any bytes as a trace, made into tables. Each file must be whole: it begins and ends as
 * a Parquet file does, and has as many bytes as the writer says.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tables/tableset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int files[TABLES];

static int open_all(void *ctx, const struct tableset_place *place, int fds[TABLES],
		    struct error *err)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++) {
		if (!files[i])
			files[i] = memfd_create("table", MFD_CLOEXEC);
		if (files[i] < 0 || ftruncate(files[i], 0) || lseek(files[i], 0, SEEK_SET))
			abort();
		fds[i] = files[i];
	}
	return 0;
}

static void check_file(const struct tableset *t, enum tables_id i)
{
	off_t size = lseek(files[i], 0, SEEK_END);
	char head[4], tail[4];

	if ((uint64_t)size != tableset_bytes(t, i) || size < 12 ||
	    pread(files[i], head, 4, 0) != 4 || pread(files[i], tail, 4, size - 4) != 4 ||
	    memcmp(head, "PAR1", 4) || memcmp(tail, "PAR1", 4))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tableset_setup setup = { .group_rows = 16, .trace = "trace", .open = open_all };
	struct trace_reader *r;
	struct tableset *t;
	struct error err;
	enum tables_id i;
	int fault;

	r = trace_reader_open_memory(data, size, &err);
	if (!r)
		return 0;
	for (i = 0; i < TABLES; i++)
		setup.wanted[i] = true;
	t = tableset_new(&setup);
	fault = tableset_read(t, r, &err);
	trace_reader_close(r);
	if (tableset_end(t, fault ? err.text : NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (i = 0; i < TABLES; i++)
		check_file(t, i);
	if (tableset_rows(t, TABLE_PROCESS) != 1)
		abort();
	tableset_close(t);
	return 0;
}
