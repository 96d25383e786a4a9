// SPDX-License-Identifier: Apache-2.0
/* profile: adds up samples; see profile.h. */
#include "pprof/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_init(struct profile *p, struct spans *s, const struct value_type *values, unsigned n)
{
	*p = (struct profile){ .spans = s, .values = values, .nvalues = n };
	*(struct tag *)vec_push(&p->tags, sizeof(struct tag)) = (struct tag){ .labels = "" };
}

void profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->comments.len; i++)
		free(*vec_at(&p->comments, char *, i));
	vec_free(&p->comments);
	vec_free(&p->tags);
	map64_free(&p->texts);
	map64_free(&p->tag_numbers);
	tally_free(&p->tally);
}

/* --- tags --- */

/*
 * Returns the number of a text, from 1 on; 0: no text. At most 3 * PROFILE_TAGS, since a tag has
 * three texts.
 */
static uint64_t text_number(struct profile *p, const char *text)
{
	uint64_t *number;
	bool is_new;

	if (!text || !*text)
		return 0;
	number = map64_put(&p->texts, (uintptr_t)text, &is_new);
	if (is_new)
		*number = p->texts.len;
	return *number;
}

static uint32_t add_tag(struct profile *p, const struct tag *tag)
{
	uint64_t labels = text_number(p, tag->labels), state = text_number(p, tag->state);
	uint64_t key = labels << 42 | state << 21 | text_number(p, tag->reason), *number;
	bool is_new;

	if (!key)
		return 0;
	number = map64_put(&p->tag_numbers, key, &is_new);
	if (is_new) {
		*number = p->tags.len;
		*(struct tag *)vec_push(&p->tags, sizeof(*tag)) = *tag;
	}
	return (uint32_t)*number;
}

static bool has_text(const struct profile *p, const char *text)
{
	return !text || !*text || map64_get(&p->texts, (uintptr_t)text);
}

/*
 * Returns the number of the tag, and adds it if it is new. Once there are PROFILE_TAGS tags, a new
 * tag loses its labels, and its reason if one of its texts is new: at most as many tags again are
 * added.
 */
uint32_t profile_tag(struct profile *p, const struct tag *tag)
{
	struct tag plain = *tag;

	if (p->tags.len < PROFILE_TAGS)
		return add_tag(p, tag);
	if (*tag->labels) {
		plain.labels = "";
		p->untagged++;
	}
	if (!has_text(p, plain.state) || !has_text(p, plain.reason))
		plain.reason = NULL;
	return add_tag(p, &plain);
}

/* --- samples --- */

uint32_t profile_place(struct profile *p, const char *name)
{
	struct stack_frame frame = { .func = spans_text(p->spans, name, strlen(name)), .file = "" };
	uint32_t number = stack_set_frame(spans_stacks(p->spans), &frame);

	return number ? stack_set_stack(spans_stacks(p->spans), &number, 1) : 0;
}

void profile_add(struct profile *p, uint32_t stack, uint32_t tag, uint64_t count, uint64_t ns)
{
	struct tally_item *item = tally_at(&p->tally, stack, tag, PROFILE_SAMPLES);

	if (!item) {
		p->crowded += count;
		item = tally_at(&p->tally, profile_place(p, "(samples too many)"), 0, SIZE_MAX);
	}
	item->count += count;
	item->ns += ns;
}

void profile_comment(struct profile *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (p->comments.len >= PROFILE_COMMENTS + PROFILE_FACTS) {
		p->comments_more++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*(char **)vec_push(&p->comments, sizeof(char *)) = xstrdup(text);
}
