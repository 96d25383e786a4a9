/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: what a profile of the heap adds up to: rows with their values and frames (rows.c), sums by
 * function (functions.c), the file for `go tool pprof` (pprof.c). `gotap heap` shows them, and a
 * flight recording writes them beside a snapshot (cmd/record/oom.c).
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
	/* rows.c: the frames of each address: struct call, and its place there by address */
	struct vec calls;
	struct map64 by_pc;
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

/* Makes the rows of @v->profile, the largest first. */
void heap_make_rows(struct heap_view *v);
/*
 * Stores the frames of a stack, leaf first, with inlined calls; at most HEAP_FRAMES. Returns their
 * number.
 */
size_t heap_frames(struct heap_view *v, const struct heap_record *r,
		   struct heap_frame out[static HEAP_FRAMES]);
/*
 * Returns the index of the first frame to show, as runtime/pprof: of memory without the functions
 * of the runtime in front of it, unless there are no others. Takes runtime.goexit off *@n.
 */
size_t heap_shown_frames(const struct heap_view *v, const struct heap_frame *frames, size_t *n);

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
