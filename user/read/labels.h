/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels: the text of a log event of category LABELS_CATEGORY. The event has all profiler labels
 * (runtime/pprof, SetGoroutineLabels) that its goroutine has from then on:
 *
 *	path="/buy" "user id"="7\n" long="the first bytes"... ...
 *
 * A pair is KEY=VALUE; one space separates pairs. A value is a Go string literal in double quotes
 * (text_quote.h). A key is such a literal, too, unless it has only letters, digits and _ . / : -.
 * "..." after a literal: the text was cut there. A separate "..." at the end: the goroutine has
 * more labels. An empty text: it has no labels. sched/annotations.c writes these events; visitors
 * of spans group by the labels.
 */
#ifndef GOTAP_READ_LABELS_H
#define GOTAP_READ_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define LABELS_CATEGORY "gotap.labels"

/* Offsets in labels.text. Both texts end with a NUL, which is not part of their length. */
struct label {
	uint32_t key, key_len;
	uint32_t value, value_len;
	bool key_cut, value_cut;
};

/* A zeroed struct is empty. It can be reused for many texts; labels_free() frees it. */
struct labels {
	struct vec all;		/* struct label, in the order of the text */
	struct buf text;
	bool more;		/* the goroutine has more labels */
};

/* Parses a text. False if the text does not have this form: then @ret is empty. */
bool labels_parse(struct labels *ret, const char *text, size_t n);
static inline const char *label_key(const struct labels *l, const struct label *label)
{
	return (const char *)l->text.data + label->key;
}
static inline const char *label_value(const struct labels *l, const struct label *label)
{
	return (const char *)l->text.data + label->value;
}
/* The label with @key of @n bytes, NULL: none. A key that was cut never matches. */
const struct label *labels_find(const struct labels *l, const char *key, size_t n);
void labels_free(struct labels *l);

enum { LABELS_ASKED = 16 };

/* Labels that the user asks for: KEY=VALUE each, where VALUE is a pattern of fnmatch(3). */
struct labels_asked {
	const char *label[LABELS_ASKED];
	size_t n;
};

/* Does the text have all of @asked? It is parsed into @l, which can be reused for many texts. */
bool labels_have(struct labels *l, const char *text, size_t n, const struct labels_asked *asked);

/*
 * For the writer: labels_put() appends one pair, after a space unless @out is empty;
 * labels_put_more() appends the sign for more labels.
 */
struct label_part {
	const void *text;
	size_t len;
	bool cut;
};
void labels_put(struct buf *out, struct label_part key, struct label_part value);
void labels_put_more(struct buf *out);

#endif
