// SPDX-License-Identifier: Apache-2.0
/*
 * speed FILE [ROWS [LEVEL]]: measures user/parquet. Writes rows like those of the table goroutine_state: ascending times,
 * skewed lengths, 2000 goroutines, few states and reasons, 300 stacks, half of the other values null. Prints values and
 * rows a second of CPU time, bytes a row, and memory. No test: it asserts nothing. LEVEL is zstd's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map64.h"
#include "parquet/parquet.h"

enum { TRACE, TS, DUR, GOID, STATE, REASON, STACK, P, TID, WAKER, WAKER_STACK, OPEN, COLUMNS };

static const struct parquet_column columns[COLUMNS] = {
	[TRACE] =       { "trace_id", PARQUET_I64, false, PARQUET_CHOOSE },
	[TS] =          { "ts", PARQUET_TIME_NS, false, PARQUET_DELTA },
	[DUR] =         { "dur", PARQUET_I64, false, PARQUET_CHOOSE },
	[GOID] =        { "goid", PARQUET_I64, false, PARQUET_CHOOSE },
	[STATE] =       { "state", PARQUET_TEXT, false, PARQUET_DICTIONARY },
	[REASON] =      { "reason", PARQUET_TEXT, true, PARQUET_DICTIONARY },
	[STACK] =       { "stack_id", PARQUET_I64, true, PARQUET_DICTIONARY },
	[P] =           { "p", PARQUET_I64, true, PARQUET_CHOOSE },
	[TID] =         { "tid", PARQUET_I64, true, PARQUET_CHOOSE },
	[WAKER] =       { "waker_goid", PARQUET_I64, true, PARQUET_CHOOSE },
	[WAKER_STACK] = { "waker_stack_id", PARQUET_I64, true, PARQUET_DICTIONARY },
	[OPEN] =        { "open_end", PARQUET_BOOL, false, PARQUET_CHOOSE },
};
static const char *const states[] = { "running", "runnable", "waiting", "syscall" };
static const char *const reasons[] = { "chan receive", "select", "sync", "network", "sleep" };

static void shared(struct parquet *p, size_t column, const char *text)
{
	parquet_shared(p, column, text, strlen(text));
}

/* Row number @i at @ts; @x: random bits. */
static void put(struct parquet *p, int64_t ts, uint64_t x)
{
	unsigned int state = x >> 40 & 3;

	parquet_int(p, TRACE, 1234567);
	parquet_int(p, TS, ts);
	parquet_int(p, DUR, (int64_t)((x & 0xffff) >> (x >> 16 & 15)) + 100);
	parquet_int(p, GOID, 1 + (int64_t)((x >> 20) % 2000));
	shared(p, STATE, states[state]);
	if (state == 2)
		shared(p, REASON, reasons[(x >> 42) % 5]);
	if (state >= 2)
		parquet_int(p, STACK, (int64_t)((x >> 33) % 300));
	if (state == 0) {
		parquet_int(p, P, x >> 50 & 7);
		parquet_int(p, TID, 100 + (x >> 53 & 7));
	} else if (state == 1) {
		parquet_int(p, WAKER, 1 + (int64_t)((x >> 12) % 2000));
		parquet_int(p, WAKER_STACK, (int64_t)((x >> 23) % 300));
	}
	parquet_int(p, OPEN, 0);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 5000000, i;
	struct parquet_options options = { .zstd_level = argc > 3 ? atoi(argv[3]) : 0,
					   .sorted_by = TS + 1 };
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	struct parquet *p = parquet_new(fd, columns, COLUMNS, &options);
	int64_t ts = 1764000000000000000;
	double begin = cpu_seconds(), seconds;
	struct error err;

	if (fd < 0)
		return fprintf(stderr, "speed FILE [ROWS [LEVEL]]\n"), 2;
	for (i = 0; i < rows; i++) {
		uint64_t x = hash64(i + 1);

		put(p, ts += 200 + (int64_t)(x >> 56) * 4, x);
		if (parquet_row(p))
			break;
	}
	if (parquet_end(p, &err))
		return fprintf(stderr, "%s: %s\n", argv[1], err.text), 1;
	seconds = cpu_seconds() - begin;
	printf("%.1f M rows/s, %.1f M values/s, %.2f bytes/row, %.1f MB of memory\n",
	       (double)rows / seconds / 1e6, (double)rows * COLUMNS / seconds / 1e6,
	       (double)parquet_counts(p)->bytes / (double)rows, (double)parquet_memory(p) / 1e6);
	parquet_free(p);
	return close(fd);
}
