// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_tables: any bytes as a trace, made into tables. Each file must be whole: it begins and ends as
 * a Parquet file does, and has as many bytes as the writer says. The end of the bytes is a recipe for
 * records of threads, too: seven bytes each, with few ids.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record.h"
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

/* The seven bytes: kind, thread, two of time (units of 50 ns), sub and flags, number, system call. */
static void take_record(struct threads *threads, const uint8_t *d, uint64_t *now)
{
	struct {
		struct rec_cgroup r;
		char more[sizeof(struct rec_thread)];
	} any = {0};
	struct rec_thread *r = (struct rec_thread *)&any.r;

	*now += 50ULL * (d[2] | (uint64_t)d[3] << 8);
	r->r.kind = (uint8_t)(REC_THREAD_OFF + d[0] % 11);
	r->r.tid = d[1] % 5;
	r->r.time = *now;
	r->r.sub = d[4] & 15;
	r->r.flags = d[4] >> 4;
	r->r.id = d[5] < 250 ? d[5] : UINT64_MAX;
	r->r.ptr = (uint64_t)d[5] << (d[6] & 31);
	r->stack = (uint64_t)d[6] << (d[5] & 31);
	r->arg = d[6] & 1 ? UINT64_MAX : d[6];
	memcpy(r->comm, "\xffhog", 5);
	threads_record(threads, &r->r);
}

static void take_threads(struct tableset *t, const uint8_t *data, size_t size)
{
	struct threads *threads = threads_new();
	uint64_t now = 1000;
	size_t i;

	tableset_states_begin(t, threads);
	for (i = size > 700 ? size - 700 : 0; i + 7 <= size; i += 7)
		take_record(threads, data + i, &now);
	threads_finish(threads, now);
	tableset_states_end(t);
	threads_free(threads);
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
	take_threads(t, data, size);
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
