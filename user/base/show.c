// SPDX-License-Identifier: Apache-2.0
/* show: see show.h. */
#define _GNU_SOURCE
#include "base/show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"

unsigned int show_rune(const char *text, int *len)
{
	const unsigned char *s = (const unsigned char *)text;
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int n = s[0] < 0x80     ? 1 :
		s[0] >> 5 == 6  ? 2 :
		s[0] >> 4 == 14 ? 3 :
		s[0] >> 3 == 30 ? 4 :
				  0,
	    i;
	unsigned int rune = n == 1 ? s[0] : n ? s[0] & (0x7f >> n) : 0;

	*len = 1;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		rune = rune << 6 | (s[i] & 0x3f);
	}
	if (!n || rune < least[n] || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
		return 0;
	*len = n;
	return rune;
}

bool show_is_control(unsigned int r)
{
	return r < 0x20 || (r >= 0x7f && r < 0xa0) || r == 0x61c || (r >= 0x200b && r <= 0x200f) ||
	       (r >= 0x2028 && r <= 0x202e) || (r >= 0x2060 && r <= 0x2069) || r == 0xfeff;
}

static void show_escape(struct buf *b, const char *text)
{
	int len, i;

	for (; *text; text += len) {
		if (!show_is_control(show_rune(text, &len)))
			buf_add(b, text, (size_t)len);
		else
			for (i = 0; i < len; i++)
				buf_printf(b, "\\x%02x", (unsigned char)text[i]);
	}
}

void show_printf(FILE *f, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	size_t n = strlen(fmt);
	bool ends = n && fmt[n - 1] == '\n';
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	if (ends)
		text[strlen(text) - 1] = 0;
	show_escape(&b, text);
	if (ends)
		buf_add_byte(&b, '\n');
	fwrite(b.data, 1, b.len, f);
	buf_free(&b);
}

void show_count(FILE *f, const char *before, uint64_t n, const char *after)
{
	if (n)
		fprintf(f, "%s%" PRIu64 "%s", before, n, after);
}

char *show_dup(const char *text)
{
	struct buf b = {0};

	show_escape(&b, text);
	buf_add_byte(&b, 0);
	return (char *)b.data;
}

char *show_file_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";
	const char *folder = *text == '-' ? "./" : "";	/* it would be an option */
	struct buf out = {0};

	if (*text && !text[strspn(text, plain)])
		return xasprintf("%s%s", folder, text);
	buf_add(&out, "'", 1);
	buf_add(&out, folder, strlen(folder));
	for (; *text; text++)
		if (*text == '\'')
			buf_add(&out, "'\\''", 4);
		else
			buf_add(&out, text, 1);
	buf_add(&out, "'", 2);
	return (char *)out.data;
}

const char *show_size(uint64_t bytes, char text[static SHOW_SIZE])
{
	if (bytes < 1000)
		snprintf(text, SHOW_SIZE, "%" PRIu64 " bytes", bytes);
	else if (bytes < 999500)
		snprintf(text, SHOW_SIZE, "%.0f kB", (double)bytes / 1e3);
	else
		snprintf(text, SHOW_SIZE, "%.1f MB", (double)bytes / 1e6);
	return text;
}
