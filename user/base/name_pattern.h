/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_pattern: names of files from a pattern like 'DIR/%p-%t-%n.trace', for commands that write
 * several files: recordings of many processes, and snapshots. The conversions are those of
 * core_pattern (core(5)).
 */
#ifndef GOTAP_BASE_NAME_PATTERN_H
#define GOTAP_BASE_NAME_PATTERN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

struct name_values {
	pid_t pid;		/* %p */
	uint64_t number;	/* %n: number of the file, from 1 on */
	time_t time;		/* %t: as 20261122T162200Z */
	/* %e: path of the program's file; its last part is used. May be NULL */
	const char *exe;
};

/* For help texts. */
#define NAME_PATTERN_HELP \
	"%p the process id, %n a number, %t the time, %e the program, %% a percent sign"

/* -EINVAL: @pattern has an unknown conversion; @err lists the known ones. */
int name_pattern_check(const char *pattern, struct error *err);
/* True if @pattern has the conversion @c, such as 'p'. */
bool name_pattern_has(const char *pattern, char c);
/*
 * Returns the name that @pattern makes of @v; the caller frees it. name_pattern_check() must have
 * accepted @pattern. The traced program chose the text of %e: each byte of it except letters,
 * digits and "_+-." becomes '_', and so does a '.' at its begin.
 */
char *name_pattern_expand(const char *pattern, const struct name_values *v);

#endif
