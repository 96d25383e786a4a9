/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels: the text of a log event of category LABELS_CATEGORY. Such an event says which profiler
 * labels (runtime/pprof, SetGoroutineLabels) its goroutine has from then on, all of them:
 *
 * 	path="/buy" "user id"="7\n" long="the first bytes"... ...
 *
 * A pair is KEY=VALUE, and one space stands between pairs. A value is a Go string literal in double
 * quotes (text_quote.h); so is a key that is not made of letters, digits and _ . / : - alone. "..."
 * behind a literal: the text was cut there. A last "..." that stands alone: there were more labels.
 * An empty text: the goroutine has no labels from then on. The writer is sched/annotations.c;
 * readers group by what this gives.
 */
#ifndef GOTAP_READ_LABELS_H
#define GOTAP_READ_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define LABELS_CATEGORY "gotap.labels"

/* Offsets into labels.text; both texts end with a NUL that does not count. */
struct label {
	uint32_t key, key_len;
	uint32_t value, value_len;
	bool key_cut, value_cut;
};

/* Zeroed is empty. One can be used for many texts. */
struct labels {
	struct vec all;		/* struct label, in the order of the text */
	struct buf text;
	bool more;		/* there were more */
};

/* Reads a text. False if it is not of the form; then @ret is empty. */
bool labels_parse(struct labels *ret, const char *text, size_t n);
static inline const char *label_key(const struct labels *l, const struct label *label)
{
	return (const char *)l->text.data + label->key;
}
static inline const char *label_value(const struct labels *l, const struct label *label)
{
	return (const char *)l->text.data + label->value;
}
/* The label with @key (@n bytes), NULL if there is none. A key that was cut matches no @key. */
const struct label *labels_find(const struct labels *l, const char *key, size_t n);
void labels_free(struct labels *l);

/*
 * The other way round: appends one pair, behind a space unless @out is empty; and that there were
 * more.
 */
struct label_part {
	const void *text;
	size_t len;
	bool cut;
};
void labels_put(struct buf *out, struct label_part key, struct label_part value);
void labels_put_more(struct buf *out);

#endif
