// SPDX-License-Identifier: Apache-2.0
/* http: see http.h. */
#include "read/http.h"

#include <string.h>

static size_t http_quoted_len(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] == '"');
}

const char *http_log_next(const char *s, struct http_pair *p)
{
	s += strspn(s, " ");
	p->key = s;
	p->key_len = strcspn(s, "= ");
	s += p->key_len;
	if (!p->key_len || *s != '=')
		return NULL;
	p->value = ++s;
	p->value_len = *s == '"' ? http_quoted_len(s) : strcspn(s, " ");
	return s + p->value_len;
}

bool http_log_is(const struct http_pair *p, const char *key)
{
	return p->key_len == strlen(key) && !memcmp(p->key, key, p->key_len);
}

void http_log_copy(const struct http_pair *p, char *to, size_t room)
{
	bool quoted = p->value_len > 1 && *p->value == '"';
	size_t i = quoted, end = p->value_len - quoted, n = 0;

	for (; i < end && n < room - 1; i++) {
		if (quoted && p->value[i] == '\\' && i + 1 < end && strchr("\"\\", p->value[i + 1]))
			i++;
		to[n++] = p->value[i];
	}
	to[n] = 0;
}

bool http_name_is(const char *name, const char *asked)
{
	const char *space = strchr(name, ' ');

	return !strcmp(name, asked) || (space && !strcmp(space + 1, asked));
}
