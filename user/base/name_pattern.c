// SPDX-License-Identifier: Apache-2.0
/* name_pattern: see name_pattern.h. */
#include "base/name_pattern.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"

enum { EXE_MAX = 64 };

/* The next conversion in @p, or NULL. "%%" is not a conversion. */
static const char *next_conversion(const char *p)
{
	while ((p = strchr(p, '%')) && p[1] == '%')
		p += 2;
	return p;
}

int name_pattern_check(const char *pattern, struct error *err)
{
	const char *p = pattern;

	while ((p = next_conversion(p))) {
		if (!p[1] || !strchr("pnte", p[1]))
			return error_set(
				err, -EINVAL,
				"the name '%s' has '%.2s', which means nothing: it may have %s",
				pattern, p, NAME_PATTERN_HELP);
		p += 2;
	}
	return 0;
}

bool name_pattern_has(const char *pattern, char c)
{
	const char *p = pattern;

	while ((p = next_conversion(p)) && p[1]) {
		if (p[1] == c)
			return true;
		p += 2;
	}
	return false;
}

static void name_pattern_put_time(struct buf *b, time_t t)
{
	char text[32];
	struct tm tm;

	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &tm))
		buf_printf(b, "%s", text);
}

static void put_exe(struct buf *b, const char *exe)
{
	const char *name = exe ? strrchr(exe, '/') : NULL;
	size_t i, at = b->len;

	name = name ? name + 1 : exe ? exe : "";
	for (i = 0; name[i] && i < EXE_MAX; i++) {
		unsigned char c = (unsigned char)name[i];

		buf_add_byte(b, c < 0x80 && (isalnum(c) || strchr("_+-.", c)) && (i || c != '.') ?
					c :
					'_');
	}
	if (b->len == at)
		buf_add_byte(b, '_');
}

static void name_pattern_put(struct buf *b, char c, const struct name_values *v)
{
	switch (c) {
	case 'p':
		buf_printf(b, "%d", v->pid);
		break;
	case 'n':
		buf_printf(b, "%" PRIu64, v->number);
		break;
	case 't':
		name_pattern_put_time(b, v->time);
		break;
	case 'e':
		put_exe(b, v->exe);
		break;
	default:
		buf_add_byte(b, (uint8_t)c);
	}
}

char *name_pattern_expand(const char *pattern, const struct name_values *v)
{
	struct buf name = {0};
	const char *p;

	for (p = pattern; *p; p++) {
		if (*p == '%' && p[1])
			name_pattern_put(&name, *++p, v);
		else
			buf_add_byte(&name, (uint8_t)*p);
	}
	buf_add_byte(&name, 0);
	return (char *)name.data;
}
