/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined: the traces of other processes that a command reads beside one, for `gotap why`, requests
 * and perfetto.
 */
#ifndef GOTAP_CMD_JOINED_H
#define GOTAP_CMD_JOINED_H

#include "files/reread.h"
#include "files/trace_input.h"
#include "joins/survey.h"
#include "read/origin.h"
#include "why/sides.h"

/* A zeroed struct has none. */
struct joined {
	size_t n;
	struct trace_input *inputs[SIDES_MOST];
	struct trace_reader *readers[SIDES_MOST];
	const char *paths[SIDES_MOST];
};

/*
 * Reads trace @number, from its begin, for the survey. A damaged trace is surveyed as far as it can
 * be read. Returns 0, or -errno and @err, which names the file.
 */
int joined_survey(struct joins_survey *v, uint32_t number, struct reread *file, const char *binary,
		  struct error *err);
/*
 * Reads @file from its begin, as far as to the facts of the program that it is of, which go to
 * @ret; origin_free() frees them. A trace that cannot be read has none.
 */
void joined_origin(struct origin *ret, struct reread *file, const char *binary);
/* Adds a reader of @file, from its begin. To be called at most SIDES_MOST times. */
int joined_open(struct joined *j, struct reread *file, const char *binary, struct error *err);
/*
 * Closes all, and prints the faults that were found in @b while they were read (NULL: they were
 * not). Returns whether there was any.
 */
bool joined_close(struct joined *j, const struct sides *b);
/* The same with the faults of all, of which code 0 is none; NULL: they were not read. */
bool joined_close_with(struct joined *j, const struct error *faults);

#endif
