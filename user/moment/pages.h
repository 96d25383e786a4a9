/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages: which pages of a process are in memory, and which it has written since their soft-dirty
 * bits were cleared. Called by the taker.
 *
 * Linux 6.7 and later answer by PAGEMAP_SCAN, which takes 1 ms for a GB; earlier ones by the
 * pagemap file, 10 times slower, as the kernel looks at the page itself, too.
 */
#ifndef GOTAP_MOMENT_PAGES_H
#define GOTAP_MOMENT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "live/process.h"

/* Returns the bytes of a page of this kernel: 4096; on arm64 perhaps 16384 or 65536. */
size_t pages_size(void);

enum page_kind {
	PAGES_COPY,    /* in memory, to be copied */
	PAGES_GONE,    /* not in memory: they read as zeros, or as their file */
	PAGES_SWAPPED, /* in swap */
};

/* Pages one after the other, of one kind. */
struct page_run {
	uint64_t start, end;
	enum page_kind kind;
};

struct page_finder {
	int pagemap;
	bool scan;
	uint64_t zero, huge_zero; /* numbers of the kernel's pages of zeros; 0: not known */
	size_t huge_pages;	  /* of a huge page; 0: the kernel has none */
	bool marks; /* the kernel marks written pages; otherwise all pages count as changed */
};

/* Errors: -errno of opening the file. */
int pages_open(struct page_finder *f, const struct process *p);

/* Measures how long it takes to clear the mark of a page, ns, in a child of the caller. */
double pages_clear_ns(void);

/*
 * Appends the runs between @start and @end, ascending, to @runs (struct page_run). All pages:
 * PAGES_COPY and PAGES_SWAPPED. Only @changed ones: PAGES_COPY if the page was written, PAGES_GONE
 * if it is not in memory, PAGES_SWAPPED if it was written and is in swap. -errno.
 */
int pages_find(const struct page_finder *f, uint64_t start, uint64_t end, bool changed,
	       struct vec *runs);
/*
 * Returns the pages between @start and @end that are in memory and have no mark: someone has
 * cleared it. -errno.
 */
int64_t pages_unmarked(const struct page_finder *f, uint64_t start, uint64_t end);

#endif
