// SPDX-License-Identifier: Apache-2.0
/* names: see names.h. */
#define _GNU_SOURCE
#include "symbol/names.h"

#include <string.h>

enum func_kind func_kind_by_name(const char *name)
{
	if (strncmp(name, "runtime.", 8))
		return FUNC_NORMAL;
	name += 8;
	if (!strcmp(name, "gopanic") || !strcmp(name, "sigpanic") || !strcmp(name, "panicwrap"))
		return FUNC_PANIC;
	/* the last two names only up to Go 1.21; later releases have no functions of these names */
	if (!strcmp(name, "deferreturn") || !strcmp(name, "runOpenDeferFrame") ||
	    !strcmp(name, "deferCallSave"))
		return FUNC_WRAPPER;
	return FUNC_NORMAL;
}

/* Appends @n bytes of @s at offset @len of @buf, as far as they fit before @cap. */
static size_t names_append(char *buf, size_t len, size_t cap, const char *s, size_t n)
{
	if (n > cap - len)
		n = cap - len;
	memcpy(buf + len, s, n);
	return len + n;
}

/* The pieces of a name as funcNamePiecesForPrint() cuts it. */
struct pieces {
	const char *text[3];
	size_t len[3];
};

static struct pieces name_pieces(const char *name)
{
	size_t n = strnlen(name, NAME_MAX_READ);
	const char *open = memchr(name, '[', n), *close = memrchr(name, ']', n);

	if (!open || !close || close < open)
		return (struct pieces){ { name, "", "" }, { n, 0, 0 } };
	return (struct pieces){
		{ name, "[...]", close + 1 },
		{ (size_t)(open - name), 5, n - (size_t)(close + 1 - name) },
	};
}

/* Keeps the last NAME_MAX_TRACE bytes: drops bytes from the front of the pieces. */
static void keep_end(struct pieces *p)
{
	size_t total = p->len[0] + p->len[1] + p->len[2];
	size_t drop = total > NAME_MAX_TRACE ? total - NAME_MAX_TRACE : 0;
	int i;

	for (i = 0; i < 3; i++) {
		size_t n = drop < p->len[i] ? drop : p->len[i];

		p->text[i] += n;
		p->len[i] -= n;
		drop -= n;
	}
}

size_t name_for_trace(const char *name, char *buf, size_t cap)
{
	struct pieces p = name_pieces(name);
	size_t len = 0;
	int i;

	keep_end(&p);
	for (i = 0; i < 3; i++)
		len = names_append(buf, len, cap - 1, p.text[i], p.len[i]);
	buf[len] = '\0';
	return len;
}
