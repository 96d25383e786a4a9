// SPDX-License-Identifier: Apache-2.0
/*
 * futile: see futile.h. Reads ordered events, sets bits (removeFutile() in internal/trace/parser.go
 * of Go 1.19).
 */
#include "v1/futile.h"

#include <stdlib.h>

/* An event since the goroutine's wake-up. */
struct step {
	uint32_t ordinal;
	/* index of the previous step + 1; in a free one, of the next free one */
	uint32_t before;
};

struct waker {
	uint32_t steps;		/* index of the last step + 1 */
	bool futile;
};

struct v1_futile {
	struct map64 index;	/* goroutine -> index in wakers */
	struct vec wakers, steps;
	uint32_t free_step;	/* index + 1 */
};

struct v1_futile *v1_futile_new(void)
{
	return xcalloc(1, sizeof(struct v1_futile));
}

void v1_futile_free(struct v1_futile *f)
{
	if (!f)
		return;
	map64_free(&f->index);
	vec_free(&f->wakers);
	vec_free(&f->steps);
	free(f);
}

static struct waker *waker_of(struct v1_futile *f, uint64_t g)
{
	bool is_new;
	uint64_t *slot = map64_put(&f->index, g, &is_new);

	if (is_new) {
		*slot = f->wakers.len;
		vec_push(&f->wakers, sizeof(struct waker));
	}
	return vec_at(&f->wakers, struct waker, *slot);
}

static void futile_add(struct v1_futile *f, struct waker *w, uint32_t ordinal)
{
	uint32_t number = f->free_step;
	struct step *s;

	if (number) {
		s = vec_at(&f->steps, struct step, number - 1);
		f->free_step = s->before;
	} else {
		s = vec_push(&f->steps, sizeof(*s));
		number = (uint32_t)f->steps.len;
	}
	*s = (struct step){ ordinal, w->steps };
	w->steps = number;
}

static void set_bit(struct buf *bits, uint32_t ordinal)
{
	while (bits->len <= ordinal / 8)
		buf_add_byte(bits, 0);
	bits->data[ordinal / 8] |= (uint8_t)(1 << ordinal % 8);
}

/* Frees the steps of @w. Sets their bits in @bits unless it is NULL. */
static void futile_clear(struct v1_futile *f, struct waker *w, struct buf *bits)
{
	while (w->steps) {
		uint32_t number = w->steps;
		struct step *s = vec_at(&f->steps, struct step, number - 1);

		if (bits)
			set_bit(bits, s->ordinal);
		w->steps = s->before;
		s->before = f->free_step;
		f->free_step = number;
	}
}

static void futile_block(struct v1_futile *f, struct waker *w, uint32_t ordinal, struct buf *bits)
{
	if (w->futile)
		set_bit(bits, ordinal);
	futile_clear(f, w, w->futile ? bits : NULL);
	w->futile = false;
}

void v1_futile_note(struct v1_futile *f, const struct v1_event *ev, uint32_t ordinal,
		    struct buf *bits)
{
	switch (ev->type) {
	case V1_GO_UNBLOCK:
		futile_clear(f, waker_of(f, ev->args[0]), NULL);
		futile_add(f, waker_of(f, ev->args[0]), ordinal);
		break;
	case V1_FUTILE_WAKEUP:
		waker_of(f, ev->g)->futile = true;
		futile_add(f, waker_of(f, ev->g), ordinal);
		break;
	case V1_GO_START:
	case V1_GO_PREEMPT:
		futile_add(f, waker_of(f, ev->g), ordinal);
		break;
	case V1_GO_BLOCK:
	case V1_GO_BLOCK_SEND ... V1_GO_BLOCK_COND:
		futile_block(f, waker_of(f, ev->g), ordinal, bits);
		break;
	}
}

size_t v1_futile_count(const struct buf *bits)
{
	size_t i, n = 0;

	for (i = 0; i < bits->len; i++)
		n += (size_t)__builtin_popcount(bits->data[i]);
	return n;
}
