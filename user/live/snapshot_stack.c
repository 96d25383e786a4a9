// SPDX-License-Identifier: Apache-2.0
/* snapshot_stack: see snapshot_stack.h. */
#include "live/snapshot_stack.h"

#include <stdlib.h>
#include <string.h>

#include "live/memory.h"

enum {
	PIECE = 2048,		/* bytes of a stack that are read at a time */
	PAGE = 4096,
	FRAME = 16,		/* the caller's frame pointer and the return address */
};

/* A window onto one stack, because frames mostly lie close together. */
struct window {
	size_t walk;		/* index of its stack_walk */
	struct memory_range range;
	uint8_t bytes[PIECE];
};

static bool is_in_stack(const struct stack_walk *w, uint64_t bp)
{
	return bp >= w->lo && bp < w->hi && w->hi - bp >= FRAME;
}

/*
 * Returns whether the walk goes on. A chain that leaves the goroutine's stack, as in a callback
 * from C, is followed as long as it leads through readable memory.
 */
static bool snap_stack_goes_on(const struct stack_reader *sr, const struct stack_walk *w)
{
	return w->n && w->n < sr->depth && w->bp && !(w->bp & 7) && !w->cut;
}

/*
 * Begins a walk. A stack that does not begin within the bounds that the g has for its stack counts
 * as none.
 */
static void snap_stack_begin(const struct stack_reader *sr, struct stack_walk *w)
{
	w->cut = false;
	w->n = 0;
	if (!w->pc || !sr->depth)
		return;
	w->pcs[w->n++] = w->pc;
	if (!is_in_stack(w, w->bp))
		w->bp = 0;
}

static void snap_stack_open_window(struct window *win, const struct stack_walk *w,
				   bool to_end_of_page)
{
	size_t n = PIECE;

	if (is_in_stack(w, w->bp) && w->hi - w->bp < n)
		n = w->hi - w->bp;
	if (to_end_of_page && PAGE - (w->bp & (PAGE - 1)) < n)
		n = PAGE - (w->bp & (PAGE - 1));
	if (n < FRAME)
		n = FRAME;
	win->range = (struct memory_range){ w->bp, win->bytes, n, false };
}

/* Takes the frames that lie in the window. */
static void snap_stack_take_frames(const struct stack_reader *sr, struct stack_walk *w,
			const struct window *win)
{
	uint64_t frame[2], at;

	while (snap_stack_goes_on(sr, w)) {
		/* The difference is unsigned: an address below the window is too large, too. */
		at = w->bp - win->range.addr;
		if (at > win->range.len - FRAME)
			break;
		memcpy(frame, win->bytes + at, FRAME);
		w->pcs[w->n++] = frame[1];
		w->bp = frame[0];
	}
}

static void read_windows(const struct stack_reader *sr, struct window *wins, size_t n)
{
	struct memory_range ranges[STACK_WALKS];
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = wins[i].range;
	memory_read_each(sr->proc, ranges, n);
	for (i = 0; i < n; i++)
		wins[i].range.ok = ranges[i].ok;
}

/*
 * Reads pieces over two pages again that could not be read, up to the end of the first page: only
 * the second one may be unreadable.
 */
static void read_again(const struct stack_reader *sr, const struct stack_walk *walks,
		       struct window *wins, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (wins[i].range.ok)
			continue;
		snap_stack_open_window(&wins[i], &walks[wins[i].walk], true);
		wins[i].range.ok = memory_read(sr->proc, wins[i].range.addr, wins[i].bytes,
					       wins[i].range.len);
	}
}

static void take_windows(const struct stack_reader *sr, struct stack_walk *walks,
			 const struct window *wins, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct stack_walk *w = &walks[wins[i].walk];

		if (wins[i].range.ok) {
			snap_stack_take_frames(sr, w, &wins[i]);
		} else {
			w->cut = is_in_stack(w, w->bp);
			w->bp = 0;
		}
	}
}

/*
 * The windows are kept from batch to batch: to allocate and free a megabyte for each of 2,000
 * batches (a million goroutines) costs 500,000 page faults.
 */
void stack_walk_each(struct stack_reader *sr, struct stack_walk *walks, size_t n)
{
	struct window *wins;
	size_t i, open = 0;

	if (!sr->windows)
		sr->windows = xcalloc(STACK_WALKS, sizeof(*sr->windows));
	wins = sr->windows;
	for (i = 0; i < n; i++)
		snap_stack_begin(sr, &walks[i]);
	do {
		for (open = i = 0; i < n; i++) {
			if (!snap_stack_goes_on(sr, &walks[i]))
				continue;
			wins[open].walk = i;
			snap_stack_open_window(&wins[open++], &walks[i], false);
		}
		read_windows(sr, wins, open);
		read_again(sr, walks, wins, open);
		take_windows(sr, walks, wins, open);
	} while (open);
}

/*
 * Returns the key of the stack, from any good mix: keys only have to differ from one another, and
 * from those of the BPF side.
 */
static uint64_t snap_stack_key_of(const struct stack_walk *w)
{
	uint64_t h = 0x676f746170ULL;
	size_t i;

	for (i = 0; i < w->n; i++)
		h = hash64(h ^ w->pcs[i]);
	return stack_key_of_hash(h, w->cut ? STACK_KEY_CUT : 0);
}

uint64_t stack_walk_record(struct stack_reader *sr, const struct stack_walk *w, uint64_t now,
			   struct buf *out)
{
	struct rec_stack head = {
		.r = { .time = now, .kind = REC_STACK, .sub = STACK_SNAPSHOT },
		.n = (uint32_t)w->n,
		.room = (uint32_t)w->n,
	};
	bool is_new;

	if (!w->n)
		return 0;
	head.r.id = snap_stack_key_of(w);
	map64_put(&sr->recorded, head.r.id, &is_new);
	if (!is_new)
		return head.r.id;
	if (w->n > sr->frames_left)
		return 0;
	sr->frames_left -= w->n;
	buf_add(out, &head, sizeof(head));
	buf_add(out, w->pcs, w->n * sizeof(w->pcs[0]));
	return head.r.id;
}

void stack_reader_free(struct stack_reader *sr)
{
	map64_free(&sr->recorded);
	free(sr->windows);
	sr->windows = NULL;
}
