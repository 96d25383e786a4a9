// SPDX-License-Identifier: Apache-2.0
/*
 * text_rune: UTF-8 and the two character classes of Unicode that the text form needs. The table has
 * the characters above ASCII that strconv.IsPrint of Go 1.27 (Unicode 17) calls printable.
 */
#include "read/text_quote.h"

static const struct {
	uint32_t first, last;
} printable[] = {
#include "read/text_print.def"
};

bool rune_is_print(uint32_t r)
{
	size_t lo = 0, hi = sizeof(printable) / sizeof(printable[0]);

	if (r < 0x7f)
		return r >= 0x20;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r > printable[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < sizeof(printable) / sizeof(printable[0]) && r >= printable[lo].first;
}

bool rune_is_space(uint32_t r)
{
	switch (r) {
	case '\t': case '\n': case '\v': case '\f': case '\r': case ' ':
	case 0x85: case 0xa0: case 0x1680: case 0x2028: case 0x2029:
	case 0x202f: case 0x205f: case 0x3000:
		return true;
	}
	return r >= 0x2000 && r <= 0x200a;
}

static bool is_tail(const uint8_t *p, size_t n, size_t i)
{
	return i < n && (p[i] & 0xc0) == 0x80;
}

size_t rune_decode(const uint8_t *p, size_t n, uint32_t *rune)
{
	uint32_t r = 0;

	*rune = RUNE_ERROR;
	if (p[0] < 0x80) {
		*rune = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0 && is_tail(p, n, 1)) {
		*rune = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		return 2;
	}
	if ((p[0] & 0xf0) == 0xe0 && is_tail(p, n, 1) && is_tail(p, n, 2)) {
		r = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
		if (r < 0x800 || (r >= 0xd800 && r < 0xe000))
			return 1;
		*rune = r;
		return 3;
	}
	if ((p[0] & 0xf8) == 0xf0 && is_tail(p, n, 1) && is_tail(p, n, 2) && is_tail(p, n, 3)) {
		r = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 |
		    (p[3] & 0x3fu);
		if (r < 0x10000 || r > 0x10ffff)
			return 1;
		*rune = r;
		return 4;
	}
	return 1;
}
