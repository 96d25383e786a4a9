/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec: growable arrays and byte buffers.
 *
 * struct vec holds items of one size that the owner knows; struct buf holds
 * bytes. Both start zeroed, grow by doubling, and never shrink until freed.
 * Running out of memory ends the process with a message, for the programs and for
 * users of the library. The kernel removes a recorder's probes when it ends, and its
 * partial trace stays. The status is 1, unless vec_failure_status() says otherwise.
 */
#ifndef GOTAP_BASE_VEC_H
#define GOTAP_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

void vec_failure_status(int status);
/* Allocation that does not return on failure. xcalloc checks for overflow. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct vec {
	void *data;
	size_t len, cap;	/* in items */
};

/* Returns a pointer to one new zeroed item of @size bytes at the end. */
void *vec_push(struct vec *v, size_t size);
/* Makes room for @n items in all. */
void vec_reserve(struct vec *v, size_t n, size_t size);
/*
 * Sorts the items from @first on, of @size bytes each, by @compare as qsort(3) does. An empty vec
 * may have NULL as @data, which qsort(3) must not get, even for no item (C11 7.22.5).
 */
void vec_sort_from(struct vec *v, size_t first, size_t size,
		   int (*compare)(const void *a, const void *b));
/* Likewise for all items. */
void vec_sort(struct vec *v, size_t size, int (*compare)(const void *a, const void *b));
/* Frees the storage; the vec is empty and usable again. */
void vec_free(struct vec *v);

/* Item @i of @v as a pointer to @type. */
#define vec_at(v, type, i) (&((type *)(v)->data)[i])

struct buf {
	uint8_t *data;
	size_t len, cap;	/* in bytes */
};

void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_byte(struct buf *b, uint8_t c);
/* Appends formatted text without a terminating NUL. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Empties it; its storage stays unless it is larger than @keep. */
void buf_empty(struct buf *b, size_t keep);
void buf_free(struct buf *b);

/*
 * The most that a buffer held lately, when it is filled again and again: call it each time before
 * it is emptied. *@most fades by a 2^@shift-th each time, so that one burst does not count for
 * ever.
 */
static inline size_t vec_lately(size_t *most, size_t len, unsigned int shift)
{
	size_t faded = *most - (*most >> shift);

	return *most = len > faded ? len : faded;
}

/*
 * Empties it, and gives back the storage beyond @most (of vec_lately()), if that is worth it. A
 * recording that lasts for days does so: else each buffer would keep the room of the largest burst
 * there ever was.
 */
void buf_fit(struct buf *b, size_t most);
/* Likewise for items of @size. */
void vec_fit(struct vec *v, size_t most, size_t size);

#endif
