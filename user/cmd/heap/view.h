/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: what a profile of the heap adds up to: rows with their values (rows.c), frames of stacks
 * (frames.c), sums by function (functions.c), the file for `go tool pprof` (pprof.c). `gotap heap`
 * shows them, and a flight recording writes them beside a snapshot (cmd/record/oom.c).
 */
#ifndef GOTAP_CMD_HEAP_VIEW_H
#define GOTAP_CMD_HEAP_VIEW_H

#include <stdbool.h>

#include "base/error.h"
#include "base/map64.h"
#include "heap/heap.h"
#include "symbol/symbol.h"

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

enum { HEAP_FRAMES = 4096 };

/* A frame of a stack. Texts live as long as the symbolizer. */
struct heap_frame {
	const char *func, *file;
	uint32_t line;
	uint64_t pc;			/* of the call */
	bool inlined;			/* into the next one */
};

/* A frame of an address, which many stacks have. */
struct heap_call {
	struct heap_frame frame;
	uint32_t function;		/* a number for frame.func, from 0 on */
	bool of_runtime, is_goexit;
};

/* A record with what it adds up to. With --diff: the difference of two moments. */
struct heap_row {
	const struct heap_record *record;
	int64_t allocs, frees;		/* objects that were sampled */
	int64_t values[HEAP_VALUES];	/* of all objects, by the sampling rate; delay in ns */
};

/*
 * A profile, and the sums of it. The owner sets all up to @ticks, and frees the rows with
 * heap_view_free(); the profiles are its own.
 */
struct heap_view {
	const struct heap_form *form;
	struct symbolizer *symbols;
	int minor;			/* release 1.@minor */
	bool now;			/* counts up to now, not as of the last collection */
	bool diff;			/* from @before to @profile, at these times, ns: */
	uint64_t began, ended;
	struct heap_profile before, profile;
	double ticks;			/* of cputicks() in a second; of block and mutex */
	struct vec rows;		/* struct heap_row */
	int64_t totals[HEAP_VALUES];
	/* frames.c: the frames of all addresses, the part of each address, numbers of functions */
	struct vec calls;		/* struct heap_call */
	struct map64 by_pc, by_function;
	/* rows.c: the scale of objects of this size */
	uint64_t scaled_size;
	double scale;
};

/* What a function allocated itself (flat), and with all that it called (cum). */
struct heap_function {
	const char *func;		/* of the symbolizer: one address for a name */
	int64_t flat, cum, count;	/* count: of flat, objects or events */
	size_t seen;			/* number of the last row that counted in cum */
};

/* heap.c: the kinds; the first one is what is in use. */
extern const struct heap_form heap_forms[];

/* rows.c */

/* Makes the rows of @v->profile, in the order of its records. */
void heap_make_rows(struct heap_view *v);
/* Sorts the rows, the largest first. */
void heap_sort_rows(struct heap_view *v);

/* frames.c */

/*
 * Stores the frames of a stack, leaf first, with inlined calls, as numbers of @v->calls; at most
 * HEAP_FRAMES. Returns their number.
 */
size_t heap_calls(struct heap_view *v, const struct heap_record *r,
		  uint32_t out[static HEAP_FRAMES]);
/* As heap_shown_frames(), of the numbers that heap_calls() stores. */
size_t heap_shown_calls(const struct heap_view *v, const uint32_t *calls, size_t *n);
/* Stores the frames of a stack as heap_calls() does. */
size_t heap_frames(struct heap_view *v, const struct heap_record *r,
		   struct heap_frame out[static HEAP_FRAMES]);
/*
 * Returns the index of the first frame to show, as runtime/pprof: of memory without the functions
 * of the runtime in front of it, unless there are no others. Takes runtime.goexit off *@n.
 */
size_t heap_shown_frames(const struct heap_view *v, const struct heap_frame *frames, size_t *n);
/* Frees what this file keeps. */
void heap_frames_free(struct heap_view *v);

/* functions.c: appends struct heap_function for each function, the largest first. */
void heap_functions(struct heap_view *v, struct vec *ret);
/*
 * pprof.c: writes the profile to @fd, gzipped; messages call the file @name. @comment, which may be
 * NULL, is in the profile.
 */
int heap_view_write(struct heap_view *v, int fd, const char *name, const char *comment,
		    struct error *err);
/* rows.c: frees the rows. */
void heap_view_free(struct heap_view *v);

#endif
