/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naming: the names of the files of snapshots, from the pattern of -o (base/name_pattern.h).
 * flight.c, snapshot.c and keep.c call it.
 */
#ifndef GOTAP_FLIGHT_NAMING_H
#define GOTAP_FLIGHT_NAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "stream/spool.h"

struct naming {
	char *folder;		/* absolute */
	char *form;		/* pattern of the name in that folder */
	const struct capture_info *info;
};

/*
 * Parses @pattern. -EINVAL: a conversion that is unknown, or in the folder; no %n; a name that is
 * too long. -ENOENT and other errors: the folder cannot be found. @info must live as long as @ret.
 * The caller frees @ret by naming_free(), also after an error.
 */
int naming_parse(struct naming *ret, const char *pattern, const struct capture_info *info,
		 struct error *err);
/* Checks @pattern as naming_parse() does, but not whether there is such a folder: -EINVAL. */
int naming_check(const char *pattern, struct error *err);
/*
 * Returns the name of snapshot @n, of a fact at @wall (CLOCK_REALTIME, ns), which the name has in
 * UTC. The caller frees it.
 */
char *naming_make(const struct naming *names, uint64_t wall, uint64_t n);
/*
 * Returns whether naming_make() could have made @name, with any pid, time and number. Always false
 * for a form in which a digit, %p or %n follows a number: the end of that number could not be
 * found.
 */
bool naming_match(const struct naming *names, const char *name);
void naming_free(struct naming *names);

/* The files beside a trace: each has the name of the trace and one of these ends. */
enum naming_beside { BESIDE_JSON, BESIDE_HEAP, BESIDE_HEAP_DIFF, BESIDES };
extern const char *const naming_ends[BESIDES];
/* Returns the name of such a file; the caller frees it. */
char *naming_beside(const char *trace, enum naming_beside which);

/* The end of the name of a file that is not whole yet. */
#define NAMING_PARTIAL ".flight.partial"

#endif
