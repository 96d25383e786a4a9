/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec: growable arrays and byte buffers.
 *
 * A struct vec holds items of one size, which its owner passes to each call; a struct buf holds
 * bytes. Both are empty when zeroed, and grow by doubling. Only the functions *_free(), *_empty()
 * and *_fit() free storage. If memory cannot be allocated the process ends with a message, also a
 * program that uses the library. The kernel then removes a recorder's probes, and its partial trace
 * remains. The exit status is 1, unless vec_failure_status() has set another one.
 */
#ifndef GOTAP_BASE_VEC_H
#define GOTAP_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

void vec_failure_status(int status);
/* Allocations that end the process on failure. xcalloc() checks for overflow. */
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
/* Makes space for @n items in all. */
void vec_reserve(struct vec *v, size_t n, size_t size);
/*
 * Sorts the items from @first on, of @size bytes each, by @compare as qsort(3) does. An empty vec
 * may have NULL as @data, which qsort(3) must not get, even for no item (C11 7.22.5).
 */
void vec_sort_from(struct vec *v, size_t first, size_t size,
		   int (*compare)(const void *a, const void *b));
/* Sorts all items, as vec_sort_from(). */
void vec_sort(struct vec *v, size_t size, int (*compare)(const void *a, const void *b));
/* Frees the storage. The vec is empty and can be used again. */
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
/* Empties the buf. Its storage is kept unless it is larger than @keep bytes. */
void buf_empty(struct buf *b, size_t keep);
void buf_free(struct buf *b);

/*
 * The recent maximum of the length of a buffer that is filled again and again. Call this each time
 * before the buffer is emptied. *@most decreases by a 2^@shift-th part per call, so that one burst
 * does not count forever.
 */
static inline size_t vec_lately(size_t *most, size_t len, unsigned int shift)
{
	size_t faded = *most - (*most >> shift);

	return *most = len > faded ? len : faded;
}

/*
 * Empties the buf, and frees its storage beyond @most (of vec_lately()) if that is much. A
 * recording that lasts for days calls this: otherwise each buffer would keep the size of the
 * largest burst.
 */
void buf_fit(struct buf *b, size_t most);
/* As buf_fit(), for items of @size bytes. */
void vec_fit(struct vec *v, size_t most, size_t size);

#endif
