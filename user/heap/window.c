// SPDX-License-Identifier: Apache-2.0
/* window: see window.h. */
#include "heap/window.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/map64.h"
#include "base/vec.h"
#include "live/memory.h"

/* PART: bytes that live/memory.c reads in one system call */
enum { PAGE = 4096, PAGES = WINDOW_BYTES / PAGE, PART = 64 << 10,
       PARTS = WINDOW_BYTES / PART, PART_PAGES = PART / PAGE,
       SLAB = 2 << 20, SLAB_WINDOWS = SLAB / WINDOW_BYTES };

struct window {
	uint64_t base;			/* addr >> WINDOW_SHIFT */
	uint8_t *bytes;			/* NULL: nothing was read yet */
	bool is_read;			/* @bytes are those of @base */
	bool readable[PAGES];
};

struct windows {
	const struct process *proc;
	uint64_t left;
	unsigned int held, used;	/* slots, and those that have memory */
	struct vec slabs;		/* void *, of SLAB bytes; the last one has room, or none */
	struct window slots[];	/* a slot is found by the hash of the base */
};

struct windows *windows_new(const struct process *proc, uint64_t most, unsigned int held)
{
	struct windows *w = xcalloc(1, sizeof(*w) + held * sizeof(w->slots[0]));

	w->proc = proc;
	w->held = held;
	w->left = most;
	return w;
}

void windows_forget(struct windows *w, uint64_t most)
{
	size_t i;

	for (i = 0; i < w->held; i++)
		w->slots[i].is_read = false;
	w->left = most;
}

void windows_free(struct windows *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->slabs.len; i++)
		free(*vec_at(&w->slabs, void *, i));
	vec_free(&w->slabs);
	free(w);
}

/*
 * Memory for one window. Where the kernel has huge pages, eight windows take one page fault. The
 * last ones of @held, of which there may be less than eight, take small pages as they need them.
 */
static uint8_t *windows_room(struct windows *w)
{
	unsigned int at = w->used % SLAB_WINDOWS;
	void *slab;

	if (!at) {
		slab = aligned_alloc(SLAB, SLAB);
		if (!slab)
			slab = xrealloc(NULL, SLAB, 1);
		if (w->held - w->used >= SLAB_WINDOWS)
			madvise(slab, SLAB, MADV_HUGEPAGE);
		*(void **)vec_push(&w->slabs, sizeof(slab)) = slab;
	}
	w->used++;
	return (uint8_t *)*vec_at(&w->slabs, void *, w->slabs.len - 1) +
	       (size_t)at * WINDOW_BYTES;
}

/* Makes @n ranges of @size bytes each, from byte @at of the window on. */
static void window_ranges(const struct window *v, struct memory_range *to, size_t n, size_t at,
			  size_t size)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = (struct memory_range){ (v->base << WINDOW_SHIFT) + at + i * size,
					       v->bytes + at + i * size, size, false };
}

/* A part with a page that cannot be read, at the end of the runtime's memory, page by page. */
static void window_read_pages(const struct windows *w, struct window *v, size_t part)
{
	struct memory_range pages[PART_PAGES];
	size_t i;

	window_ranges(v, pages, PART_PAGES, part * PART, PAGE);
	memory_read_each(w->proc, pages, PART_PAGES);
	for (i = 0; i < PART_PAGES; i++)
		v->readable[part * PART_PAGES + i] = pages[i].ok;
}

static void window_read(const struct windows *w, struct window *v)
{
	struct memory_range parts[PARTS];
	size_t i;

	window_ranges(v, parts, PARTS, 0, PART);
	memory_read_each(w->proc, parts, PARTS);
	for (i = 0; i < PARTS; i++) {
		if (parts[i].ok)
			memset(v->readable + i * PART_PAGES, true, PART_PAGES * sizeof(bool));
		else
			window_read_pages(w, v, i);
	}
}

/* The window with @base; NULL if no further window may be read. */
static struct window *window_at(struct windows *w, uint64_t base)
{
	struct window *v = &w->slots[hash64_seeded(base) % w->held];

	if (v->is_read && v->base == base)
		return v;
	if (!w->left)
		return NULL;
	w->left--;
	if (!v->bytes)
		v->bytes = windows_room(w);
	v->base = base;
	v->is_read = true;
	window_read(w, v);
	return v;
}

/* Copies the part of [@addr, @addr + @n) that one window has; returns its length, 0: unreadable. */
static size_t window_copy(struct windows *w, uint64_t addr, uint8_t *to, size_t n)
{
	struct window *v = window_at(w, addr >> WINDOW_SHIFT);
	size_t at = addr & (WINDOW_BYTES - 1), end, page;

	if (!v)
		return memory_read(w->proc, addr, to, n) ? n : 0;
	end = at + n < WINDOW_BYTES ? at + n : WINDOW_BYTES;
	for (page = at / PAGE; page * PAGE < end; page++)
		if (!v->readable[page])
			return 0;
	memcpy(to, v->bytes + at, end - at);
	return end - at;
}

bool windows_read(struct windows *w, uint64_t addr, void *to, size_t n)
{
	uint8_t *at = to;
	size_t done;

	if (addr + n < addr)
		return false;
	for (; n; n -= done, at += done, addr += done) {
		done = window_copy(w, addr, at, n);
		if (!done)
			return false;
	}
	return true;
}
