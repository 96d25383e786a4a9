// SPDX-License-Identifier: Apache-2.0
/* show: see show.h. */
#include "cmd/show.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The character at @s, 0 if it is none that may be shown; @len: its bytes, at least 1. */
static unsigned int take_rune(const unsigned char *s, int *len)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0, i;
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

static bool is_plain(unsigned int r)
{
	if (r < 0x20 || (r >= 0x7f && r < 0xa0))
		return false;
	return r != 0x61c && !(r >= 0x200b && r <= 0x200f) && !(r >= 0x2028 && r <= 0x202e) &&
	       !(r >= 0x2060 && r <= 0x2069) && r != 0xfeff;
}

static void escape(struct buf *b, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int len, i;

	for (; *s; s += len) {
		if (is_plain(take_rune(s, &len)))
			buf_add(b, s, (size_t)len);
		else
			for (i = 0; i < len; i++)
				buf_printf(b, "\\x%02x", s[i]);
	}
}

void show_text(FILE *f, const char *text)
{
	struct buf b = {0};

	escape(&b, text);
	fwrite(b.data, 1, b.len, f);
	buf_free(&b);
}

char *show_dup(const char *text)
{
	struct buf b = {0};

	escape(&b, text);
	buf_add_byte(&b, 0);
	return (char *)b.data;
}
