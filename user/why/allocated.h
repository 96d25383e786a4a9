/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocated: why goroutines of a path had to mark for the collector (mark assist): who has
 * allocated before, by the samples of group alloc (read/alloc.h). A goroutine assists because of
 * what it allocates itself while a collection runs, and the collection runs because of what all
 * have allocated since the one before.
 */
#ifndef GOTAP_WHY_ALLOCATED_H
#define GOTAP_WHY_ALLOCATED_H

#include "why/path.h"

struct allocated;

/* A place that has allocated. */
struct allocated_site {
	uint32_t frame;		/* of the stack_set; the first one that is not of the library */
	uint64_t samples;
	double bytes;		/* scaled */
};

struct allocated_sum {
	struct vec sites;	/* struct allocated_site, those with most bytes first */
	uint64_t samples;
	double bytes;
};

struct why_because {
	int64_t assist;		/* ns of assists on the path; 0: there are none */
	int64_t since;		/* from then on, to the last of these assists, the sums count */
	/* the goroutine with most of them, and the function that it began with */
	uint64_t g;
	const char *name;
	/*
	 * of @g, of the program; no samples: none is known, or the trace has more since then than
	 * are kept
	 */
	struct allocated_sum own, all;
};

/* Adds a visitor to @s, which must outlive the result. */
struct allocated *allocated_new(struct spans *s);
/* Frees @a, which may be NULL. */
void allocated_free(struct allocated *a);
/* Another trace begins. */
void allocated_trace(struct allocated *a);
/* Fills @ret, a zeroed struct, for the steps of @path, of which all samples are known. */
void allocated_because(const struct allocated *a, struct path *path, struct why_because *ret);
void why_because_free(struct why_because *b);

#endif
