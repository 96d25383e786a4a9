/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap: `gotap heap`: the profiles of memory, blocking and locks that the runtime of a process
 * keeps. Shared by its files: options and the process (heap.c), rows with their frames and values
 * (rows.c), profiling switched on for a time (switch.c), and the forms: text (text.c), the text of
 * net/http/pprof (records.c), JSON (json.c), a profile (pprof.c).
 */
#ifndef GOTAP_CMD_HEAP_HEAP_H
#define GOTAP_CMD_HEAP_HEAP_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/look.h"
#include "heap/heap.h"
#include "target/profile_vars.h"

/* The values of a row: of heap and allocs; or of block and mutex. */
enum {
	VALUE_ALLOC_OBJECTS, VALUE_ALLOC_SPACE, VALUE_INUSE_OBJECTS, VALUE_INUSE_SPACE,
	VALUE_CONTENTIONS = 0, VALUE_DELAY = 1,
	HEAP_VALUES = 4,
};

/* A kind of profile, as --kind names it. */
struct heap_form {
	const char *name;
	enum heap_kind kind;
	unsigned int nvalues;
	unsigned int shown;		/* the value that the text sorts by */
};

struct heap_options {
	struct pick pick;
	const struct heap_form *form;
	const char *out;		/* file of the profile; NULL: text */
	double diff;			/* seconds; 0: no */
	unsigned long rate;		/* of switch_on, bytes */
	unsigned int lines;
	int assume_minor;		/* 0: the release that the program says */
	bool json, records, now, switch_on;
};

enum { HEAP_FRAMES = 4096 };

/* A frame of a stack. Texts live as long as the symbolizer. */
struct heap_frame {
	const char *func, *file;
	uint32_t line;
	uint64_t pc;			/* of the call */
	bool inlined;			/* into the next one */
};

/* A record with what it adds up to. With --diff: the difference of two moments. */
struct heap_row {
	const struct heap_record *record;
	int64_t allocs, frees;		/* objects that were sampled */
	int64_t values[HEAP_VALUES];	/* of all objects, by the sampling rate; delay in ns */
};

struct heap_cmd {
	const struct heap_options *o;
	struct look look;
	struct profile_vars vars;
	struct vec text;		/* struct heap_text */
	struct heap_profile before, profile;	/* before: with --diff */
	uint64_t began, ended;		/* with --diff, ns */
	double ticks;			/* of cputicks() in a second; of block and mutex */
	struct vec rows;		/* struct heap_row */
	int64_t totals[HEAP_VALUES];
};

/* rows.c */

/* Makes the rows of h->profile, the largest first. */
void heap_make_rows(struct heap_cmd *h);
/*
 * Stores the frames of a stack, leaf first, with inlined calls; at most HEAP_FRAMES. Returns their
 * number.
 */
size_t heap_frames(struct heap_cmd *h, const struct heap_record *r,
		   struct heap_frame out[static HEAP_FRAMES]);
/*
 * Returns the index of the first frame to show, as runtime/pprof: of memory without the functions
 * of the runtime in front of it, unless there are no others. Takes runtime.goexit off *@n.
 */
size_t heap_shown_frames(const struct heap_cmd *h, const struct heap_frame *frames, size_t *n);

/* switch.c */

/*
 * Ends what a gotap that was killed has left switched on in the process, and says so. Returns 0,
 * also if there is nothing; -EBUSY: a gotap that runs has switched it on.
 */
int heap_switch_recover(struct heap_cmd *h, struct error *err);
/*
 * Switches memory profiling on, from now until heap_switch_off() or the end of gotap, however it
 * comes. -EALREADY: the program has it on.
 */
int heap_switch_on(struct heap_cmd *h, struct error *err);
/* Switches it off again; -ESRCH: the process has ended. Accepts one that is not switched on. */
int heap_switch_off(struct heap_cmd *h, struct error *err);

void heap_print(struct heap_cmd *h);
void heap_print_records(struct heap_cmd *h);
void heap_print_json(struct heap_cmd *h);
/* Writes the profile to o->out. */
int heap_write_profile(struct heap_cmd *h, struct error *err);

#endif
