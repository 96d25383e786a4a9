/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format: the headers of v1 files, and the shape of each record in each format. The name of a
 * format is the minor version of its header (5, 7, 8, 9, 10, 11, 19, 21). V1_GOTRACE is the format
 * before Go 1.5, which has no number in its header.
 */
#ifndef GOTAP_V1_FORMAT_H
#define GOTAP_V1_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	V1_GOTRACE = 4,
	V1_GOTRACE_HEADER = 8,	/* bytes of the header */
	V1_HEADER = 16,
	V1_TYPES = 64,		/* a type is the low six bits of a record's first byte */
	V1_COUNT_SHIFT = 6,	/* the high two bits: the number of values of a short record, or */
	V1_BY_LENGTH = 3,	/* this count: the length of the values in bytes comes first */
	V1_MAX_FRAMES = 1000,	/* of one stack, the limit of every Go parser */
	V1_MAX_STRING = 1000000,
};

/* The types of all records. A record that was renamed has its oldest name. */
enum v1_type {
	V1_BATCH = 1, V1_FREQUENCY, V1_STACK, V1_GOMAXPROCS, V1_PROC_START, V1_PROC_STOP,
	V1_GC_START, V1_GC_DONE, V1_STW_START, V1_STW_DONE, V1_SWEEP_START, V1_SWEEP_DONE,
	V1_GO_CREATE, V1_GO_START, V1_GO_END, V1_GO_STOP, V1_GO_SCHED, V1_GO_PREEMPT,
	V1_GO_SLEEP, V1_GO_BLOCK, V1_GO_UNBLOCK, V1_GO_BLOCK_SEND, V1_GO_BLOCK_RECV,
	V1_GO_BLOCK_SELECT, V1_GO_BLOCK_SYNC, V1_GO_BLOCK_COND, V1_GO_BLOCK_NET,
	V1_GO_SYSCALL, V1_GO_SYSEXIT, V1_GO_SYSBLOCK, V1_GO_WAITING, V1_GO_IN_SYSCALL,
	V1_HEAP_ALLOC, V1_HEAP_GOAL, V1_TIMER_GOROUTINE, V1_FUTILE_WAKEUP, V1_STRING,
	V1_GO_START_LOCAL, V1_GO_UNBLOCK_LOCAL, V1_GO_SYSEXIT_LOCAL, V1_GO_START_LABEL,
	V1_GO_BLOCK_GC, V1_ASSIST_START, V1_ASSIST_DONE, V1_TASK_CREATE, V1_TASK_END,
	V1_REGION, V1_LOG, V1_CPU_SAMPLE,
};

struct v1_spec {
	uint8_t type, first, last;
	bool stack;
	const char *name;
	const char *args;	/* names, separated by one space */
};

/* The shapes of one format, by type; NULL: the format has no such record. */
struct v1_format {
	int version;
	const struct v1_spec *spec[V1_TYPES];
	uint8_t nargs[V1_TYPES];	/* number of values without deltas and stack */
};

/*
 * Reads a file header. *@version: the format; *@size: bytes of the header. -EINVAL "not a trace
 * file"; -ENOTSUP: a number that is not a v1 format (such as that of a v2 header, go 1.22 and
 * later).
 */
int v1_header_parse(const uint8_t *p, size_t n, int *version, size_t *size, struct error *err);

/* True if there is a v1 format with the header go 1.@version, or if it is V1_GOTRACE. */
bool v1_version_known(int version);

/*
 * Puts the header of @version into the V1_HEADER bytes at @p; returns its size. @version is one of
 * v1_header_parse().
 */
size_t v1_header_write(uint8_t *p, int version);

/* The name of a v1 or v2 version for --format: "go1.19", or "gotrace". @size 16 is enough. */
void v1_format_name(char *name, size_t size, int version);

/* Fills @f for a version of v1_header_parse(). */
void v1_format_init(struct v1_format *f, int version);

/*
 * The number of delta values at the begin of a record of type @type: the time since the previous
 * event of the batch; in 1.5 the global sequence number before it.
 */
unsigned int v1_deltas(const struct v1_format *f, unsigned int type);

/* True for the formats with stacks of PCs without names. */
static inline bool v1_pc_only(int version)
{
	return version < 7;
}

#endif
