// SPDX-License-Identifier: Apache-2.0
/* strtab: see strtab.h. */
#include "trace/strtab.h"

#include <string.h>

#include "tracev2.h"

void strtab_init(struct strtab *t)
{
	*t = (struct strtab){ .texts = strset_new() };
}

uint64_t strtab_put(struct strtab *t, const char *s, bool keep_tail)
{
	return strtab_put_bytes(t, s, s ? strlen(s) : 0, keep_tail);
}

uint64_t strtab_put_bytes(struct strtab *t, const char *s, size_t n, bool keep_tail)
{
	const char *text;
	uint64_t *id;
	bool is_new;

	if (!n)
		return 0;
	if (n > TRACEV2_MAX_STRING) {
		if (keep_tail)
			s += n - TRACEV2_MAX_STRING;
		n = TRACEV2_MAX_STRING;
	}
	text = strset_add_bytes(t->texts, s, n);
	id = map64_put(&t->ids, (uint64_t)(uintptr_t)text, &is_new);
	if (is_new) {
		*(const char **)vec_push(&t->order, sizeof(text)) = text;
		*id = t->order.len;
		t->bytes += n;
	}
	return *id;
}

uint64_t strtab_put_again(struct strtab *t, uint64_t id)
{
	const char *text = *vec_at(&t->order, const char *, id - 1);

	*(const char **)vec_push(&t->order, sizeof(text)) = text;
	t->bytes += strset_len(text);
	return t->order.len;
}

uint64_t strtab_put_later(struct strtab *t)
{
	const char *text = strset_add_bytes(t->texts, "", 0);

	*(const char **)vec_push(&t->order, sizeof(text)) = text;
	return t->order.len;
}

void strtab_define(struct strtab *t, uint64_t id, const char *s, size_t n)
{
	size_t len = n < TRACEV2_MAX_STRING ? n : TRACEV2_MAX_STRING;
	const char *text = strset_add_bytes(t->texts, s, len);

	*vec_at(&t->order, const char *, id - 1) = text;
	t->bytes += strset_len(text);
}

void strtab_reset(struct strtab *t)
{
	/*
	 * The texts are freed, too: a program's annotations may have other texts in each
	 * generation, and the names of functions and files are few.
	 */
	strset_free(t->texts);
	t->texts = strset_new();
	map64_clear(&t->ids);
	t->order.len = 0;
	t->bytes = 0;
}

void strtab_free(struct strtab *t)
{
	strset_free(t->texts);
	map64_free(&t->ids);
	vec_free(&t->order);
	*t = (struct strtab){0};
}
