// SPDX-License-Identifier: Apache-2.0
/* labels: see labels.h. */
#include "read/labels.h"

#include <fnmatch.h>
#include <string.h>

#include "read/text_quote.h"

static const char CUT[] = "...";

static bool is_bare(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_./:-", c));
}

/* Bytes of the literal at @p with both quotes, 0: not a literal. */
static size_t literal_length(const uint8_t *p, size_t n)
{
	size_t i;

	if (!n || *p != '"')
		return 0;
	for (i = 1; i < n && p[i] != '"'; i++)
		i += p[i] == '\\';
	return i < n ? i + 1 : 0;
}

static size_t bare_length(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && is_bare(p[i]); i++)
		;
	return i;
}

struct text {
	const uint8_t *p;
	size_t left;
};

static void labels_advance(struct text *t, size_t n)
{
	t->p += n;
	t->left -= n;
}

static bool labels_take(struct text *t, const char *what)
{
	size_t n = strlen(what);

	if (t->left < n || memcmp(t->p, what, n))
		return false;
	labels_advance(t, n);
	return true;
}

struct piece {
	uint32_t at, len;
};

static struct piece labels_keep(struct labels *l, size_t at)
{
	struct piece ret = { (uint32_t)at, (uint32_t)(l->text.len - at) };

	buf_add_byte(&l->text, 0);
	return ret;
}

static bool take_literal(struct labels *l, struct text *t, struct piece *ret, bool *cut)
{
	size_t n = literal_length(t->p, t->left), at = l->text.len;

	if (!n || !unquote_append(&l->text, t->p, n))
		return false;
	labels_advance(t, n);
	*cut = labels_take(t, CUT);
	*ret = labels_keep(l, at);
	return true;
}

static bool take_key(struct labels *l, struct text *t, struct piece *ret, bool *cut)
{
	size_t n = bare_length(t->p, t->left), at = l->text.len;

	if (!n)
		return take_literal(l, t, ret, cut);
	buf_add(&l->text, t->p, n);
	labels_advance(t, n);
	*ret = labels_keep(l, at);
	return true;
}

static bool take_pair(struct labels *l, struct text *t)
{
	struct label label = {0};
	struct piece key, value;

	if (!take_key(l, t, &key, &label.key_cut) || !labels_take(t, "=") ||
	    !take_literal(l, t, &value, &label.value_cut))
		return false;
	label.key = key.at;
	label.key_len = key.len;
	label.value = value.at;
	label.value_len = value.len;
	*(struct label *)vec_push(&l->all, sizeof(label)) = label;
	return true;
}

static bool read_parse(struct labels *l, struct text t)
{
	bool first = true;

	for (; t.left; first = false) {
		if (!first && !labels_take(&t, " "))
			return false;
		if (t.left == strlen(CUT) && labels_take(&t, CUT))
			return l->more = true;
		if (!take_pair(l, &t))
			return false;
	}
	return true;
}

static void labels_empty(struct labels *l)
{
	l->all.len = 0;
	l->text.len = 0;
	l->more = false;
}

bool labels_parse(struct labels *ret, const char *text, size_t n)
{
	labels_empty(ret);
	if (n < UINT32_MAX && read_parse(ret, (struct text){ (const uint8_t *)text, n }))
		return true;
	labels_empty(ret);
	return false;
}

const struct label *labels_find(const struct labels *l, const char *key, size_t n)
{
	size_t i;

	for (i = 0; i < l->all.len; i++) {
		const struct label *label = vec_at(&l->all, struct label, i);

		if (!label->key_cut && label->key_len == n && !memcmp(label_key(l, label), key, n))
			return label;
	}
	return NULL;
}

/* Do the labels that were read have @asked, KEY=VALUE? */
static bool labels_have_one(const struct labels *l, const char *asked)
{
	size_t n = strcspn(asked, "=");
	const struct label *label = labels_find(l, asked, n);

	return label && !fnmatch(asked + n + 1, label_value(l, label), 0);
}

bool labels_have(struct labels *l, const char *text, size_t n, const struct labels_asked *asked)
{
	size_t i;

	if (!n || !labels_parse(l, text, n))
		return false;
	for (i = 0; i < asked->n; i++)
		if (!labels_have_one(l, asked->label[i]))
			return false;
	return true;
}

void labels_free(struct labels *l)
{
	vec_free(&l->all);
	buf_free(&l->text);
}

static void put_literal(struct buf *out, struct label_part part)
{
	quote_append(out, part.text, part.len);
	if (part.cut)
		buf_add(out, CUT, strlen(CUT));
}

static void put_space(struct buf *out)
{
	if (out->len)
		buf_add_byte(out, ' ');
}

void labels_put(struct buf *out, struct label_part key, struct label_part value)
{
	put_space(out);
	if (key.len && !key.cut && bare_length(key.text, key.len) == key.len)
		buf_add(out, key.text, key.len);
	else
		put_literal(out, key);
	buf_add_byte(out, '=');
	put_literal(out, value);
}

void labels_put_more(struct buf *out)
{
	put_space(out);
	buf_add(out, CUT, strlen(CUT));
}
