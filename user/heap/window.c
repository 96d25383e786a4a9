// SPDX-License-Identifier: Apache-2.0
/* window: see window.h. */
#include "heap/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "live/memory.h"

enum { SLOTS = 256, PAGE = 4096, PAGES = WINDOW_BYTES / PAGE };

struct window {
	uint64_t base;			/* addr >> WINDOW_SHIFT */
	uint8_t *bytes;			/* NULL: nothing was read yet */
	bool readable[PAGES];
};

struct windows {
	const struct process *proc;
	uint64_t left;
	struct window slots[SLOTS];	/* a slot is found by the hash of the base */
};

struct windows *windows_new(const struct process *proc, uint64_t most)
{
	struct windows *w = xcalloc(1, sizeof(*w));

	w->proc = proc;
	w->left = most;
	return w;
}

void windows_free(struct windows *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < SLOTS; i++)
		free(w->slots[i].bytes);
	free(w);
}

static void window_read_pages(const struct windows *w, struct window *v)
{
	struct memory_range pages[PAGES];
	size_t i;

	for (i = 0; i < PAGES; i++)
		pages[i] = (struct memory_range){ (v->base << WINDOW_SHIFT) + i * PAGE,
						  v->bytes + i * PAGE, PAGE, false };
	memory_read_each(w->proc, pages, PAGES);
	for (i = 0; i < PAGES; i++)
		v->readable[i] = pages[i].ok;
}

/* The window with @base; NULL if no further window may be read. */
static struct window *window_at(struct windows *w, uint64_t base)
{
	struct window *v = &w->slots[hash64_seeded(base) % SLOTS];

	if (v->bytes && v->base == base)
		return v;
	if (!w->left)
		return NULL;
	w->left--;
	if (!v->bytes)
		v->bytes = xrealloc(NULL, WINDOW_BYTES, 1);
	v->base = base;
	window_read_pages(w, v);
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
