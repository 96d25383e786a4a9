// SPDX-License-Identifier: Apache-2.0
/* result: see result.h. */
#include "requests/result.h"

#include <stdlib.h>
#include <string.h>

/* A pair of the message; @value may be quoted. */
struct pair {
	const char *key, *value;
	size_t key_len, value_len;
};

static size_t result_quoted_len(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] == '"');
}

/* Reads the pair at @s; returns what comes behind it; NULL: there is none. */
static const char *result_next(const char *s, struct pair *p)
{
	s += strspn(s, " ");
	p->key = s;
	p->key_len = strcspn(s, "= ");
	s += p->key_len;
	if (!p->key_len || *s != '=')
		return NULL;
	p->value = ++s;
	p->value_len = *s == '"' ? result_quoted_len(s) : strcspn(s, " ");
	return s + p->value_len;
}

static bool result_is_key(const struct pair *p, const char *key)
{
	return p->key_len == strlen(key) && !memcmp(p->key, key, p->key_len);
}

static bool result_is(const struct pair *p, const char *value)
{
	return p->value_len == strlen(value) && !memcmp(p->value, value, p->value_len);
}

/* Undoes \" and \\; other escapes remain, as the path is for people to read. */
static void result_copy(char to[ROUTES_PATH], const struct pair *p)
{
	bool quoted = p->value_len > 1 && *p->value == '"';
	size_t i = quoted, end = p->value_len - quoted, n = 0;

	for (; i < end && n < ROUTES_PATH - 1; i++) {
		if (quoted && p->value[i] == '\\' && i + 1 < end && strchr("\"\\", p->value[i + 1]))
			i++;
		to[n++] = p->value[i];
	}
	to[n] = 0;
}

void result_read(struct result *r, const char *message)
{
	struct pair p;

	while ((message = result_next(message, &p))) {
		if (result_is_key(&p, "status"))
			r->status = (unsigned int)strtoul(p.value, NULL, 10);
		else if (result_is_key(&p, "bytes"))
			r->bytes = strtoull(p.value, NULL, 10);
		else if (result_is_key(&p, "path"))
			result_copy(r->path, &p);
		else if (result_is_key(&p, "end"))
			*(result_is(&p, "panic") ? &r->panic : &r->hijacked) = true;
		else if (result_is_key(&p, "proto"))
			r->h2 = result_is(&p, "h2");
	}
}
