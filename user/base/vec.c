// SPDX-License-Identifier: Apache-2.0
/* vec: see vec.h. */
#define _GNU_SOURCE
#include "base/vec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static int status = 1;

void vec_failure_status(int s)
{
	status = s;
}

static void out_of_memory(void)
{
	fprintf(stderr, "gotap: out of memory%s\n", limits_explain(-ENOMEM).text);
	exit(status);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (!p)
		out_of_memory();
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return p;
}

static size_t vec_grown(size_t cap, size_t need)
{
	size_t n = cap ? cap : 8;

	while (n < need) {
		if (n > SIZE_MAX / 2)
			out_of_memory();
		n *= 2;
	}
	return n;
}

void vec_reserve(struct vec *v, size_t n, size_t size)
{
	if (n <= v->cap)
		return;
	v->cap = vec_grown(v->cap, n);
	v->data = xrealloc(v->data, v->cap, size);
}

void *vec_push(struct vec *v, size_t size)
{
	void *item;

	vec_reserve(v, v->len + 1, size);
	item = (char *)v->data + v->len++ * size;
	memset(item, 0, size);
	return item;
}

void vec_sort_from(struct vec *v, size_t first, size_t size,
		   int (*compare)(const void *a, const void *b))
{
	if (v->len > first)
		qsort((char *)v->data + first * size, v->len - first, size, compare);
}

void vec_sort(struct vec *v, size_t size, int (*compare)(const void *a, const void *b))
{
	vec_sort_from(v, 0, size, compare);
}

void vec_free(struct vec *v)
{
	free(v->data);
	*v = (struct vec){0};
}

void buf_reserve(struct buf *b, size_t more)
{
	if (more > SIZE_MAX - b->len)
		out_of_memory();
	if (b->len + more <= b->cap)
		return;
	b->cap = vec_grown(b->cap, b->len + more);
	b->data = xrealloc(b->data, b->cap, 1);
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	buf_reserve(b, n);
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

void buf_add_byte(struct buf *b, uint8_t c)
{
	buf_reserve(b, 1);
	b->data[b->len++] = c;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	buf_reserve(b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf((char *)b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void buf_empty(struct buf *b, size_t keep)
{
	if (b->cap > keep)
		buf_free(b);
	b->len = 0;
}

/*
 * In bytes. Storage is freed only if it exceeds twice the need by more than this: growth doubles
 * the storage, so that storage that is freed earlier is soon allocated again, page by page.
 */
enum { FIT_SLACK = 32 << 10 };

/* The capacity to have in place of @cap; @cap: no change. */
static size_t vec_fitting(size_t cap, size_t most, size_t size)
{
	return cap / 2 > most + FIT_SLACK / 2 / size ? most : cap;
}

void vec_fit(struct vec *v, size_t most, size_t size)
{
	size_t cap = vec_fitting(v->cap, most, size);

	v->len = 0;
	if (cap == v->cap)
		return;
	if (!cap) {
		vec_free(v);
		return;
	}
	v->data = xrealloc(v->data, cap, size);
	v->cap = cap;
}

void buf_fit(struct buf *b, size_t most)
{
	size_t cap = vec_fitting(b->cap, most, 1);

	b->len = 0;
	if (cap == b->cap)
		return;
	if (!cap) {
		buf_free(b);
		return;
	}
	b->data = xrealloc(b->data, cap, 1);
	b->cap = cap;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
