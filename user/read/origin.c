// SPDX-License-Identifier: Apache-2.0
/* origin: see origin.h. */
#include "read/origin.h"

#include <stdlib.h>
#include <string.h>

#include "read/labels.h"
#include "read/text_quote.h"

enum { ORIGIN_TEXT_MAX = 1024 };	/* of a string in a trace (internal/trace/tracev2) */

static const struct { const char *key, *title; } origin_facts[] = {
#define ORIGIN(id, key, title) { key, title },
#include "read/origin.def"
#undef ORIGIN
};

const char *origin_fact_key(enum origin_fact fact)
{
	return origin_facts[fact].key;
}

const char *origin_fact_title(enum origin_fact fact)
{
	return origin_facts[fact].title;
}

static void origin_take_fact(struct origin *o, const struct labels *all, enum origin_fact fact)
{
	const char *key = origin_fact_key(fact);
	const struct label *l = labels_find(all, key, strlen(key));

	if (!l || o->facts[fact])
		return;
	o->facts[fact] = xstrdup(label_value(all, l));
	o->cut[fact] = l->value_cut;
}

void origin_take(struct origin *o, const char *text)
{
	struct labels all = {0};
	enum origin_fact fact;

	labels_parse(&all, text, strlen(text));
	for (fact = 0; fact < ORIGIN_FACTS; fact++)
		origin_take_fact(o, &all, fact);
	labels_free(&all);
}

bool origin_is_known(const struct origin *o)
{
	enum origin_fact fact;

	for (fact = 0; fact < ORIGIN_FACTS; fact++)
		if (o->facts[fact])
			return true;
	return false;
}

void origin_free(struct origin *o)
{
	enum origin_fact fact;

	for (fact = 0; fact < ORIGIN_FACTS; fact++)
		free(o->facts[fact]);
	*o = (struct origin){0};
}

/*
 * Appends the first @n bytes of the value, and returns 0; or appends nothing, and returns how many
 * bytes too many that would be.
 */
static size_t origin_put_first(struct buf *out, const char *key, const char *value, size_t n)
{
	size_t begin = out->len, over;

	labels_put(out, (struct label_part){ key, strlen(key), false },
		   (struct label_part){ value, n, value[n] });
	over = out->len > ORIGIN_TEXT_MAX ? out->len - ORIGIN_TEXT_MAX : 0;
	if (over)
		out->len = begin;
	return over;
}

/*
 * A byte of the value takes one byte of the text or more ("\x1b"): each turn cuts as many bytes of
 * the value as the text had too many.
 */
void origin_put(struct buf *out, enum origin_fact fact, const char *value)
{
	size_t n = strnlen(value, ORIGIN_TEXT_MAX), over = n > 0;

	while (n && (over = origin_put_first(out, origin_fact_key(fact), value, n)))
		n -= over < n ? over : n;
}
