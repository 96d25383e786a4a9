// SPDX-License-Identifier: Apache-2.0
/* reasons: see reasons.h. */
#include "top/reasons.h"

static const char TOO_MANY[] = "(a reason too many)";

static uint32_t reasons_add(struct reasons *r, const char *text, size_t n)
{
	const char *copy = strset_add(r->texts, text, n);
	bool is_new;
	uint64_t *number = map64_put(&r->by_text, (uint64_t)(uintptr_t)copy, &is_new);

	if (is_new) {
		*number = r->all.len;
		*(const char **)vec_push(&r->all, sizeof(copy)) = copy;
	}
	return (uint32_t)*number;
}

void reasons_init(struct reasons *r)
{
	*r = (struct reasons){ .texts = strset_new() };
	reasons_add(r, "", 0);
}

static uint32_t reasons_number_of(struct reasons *r, const char *text, size_t n)
{
	const char *copy;

	if (r->all.len < REASONS_MAX)
		return reasons_add(r, text, n);
	copy = strset_find(r->texts, text, n);
	return copy ? reasons_add(r, copy, n) : reasons_add(r, TOO_MANY, strlen(TOO_MANY));
}

uint32_t reasons_number(struct reasons *r, const struct sink_text *text)
{
	uint64_t *known;
	bool is_new;

	if (!text || !text->bytes)
		return 0;
	if (!text->constant)
		return reasons_number_of(r, text->bytes, text->len);
	known = map64_put(&r->by_constant, (uint64_t)(uintptr_t)text->bytes, &is_new);
	if (is_new)
		*known = reasons_number_of(r, text->bytes, strlen(text->bytes));
	return (uint32_t)*known;
}

void reasons_free(struct reasons *r)
{
	strset_free(r->texts);
	map64_free(&r->by_text);
	map64_free(&r->by_constant);
	vec_free(&r->all);
}
