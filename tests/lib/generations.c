// SPDX-License-Identifier: Apache-2.0
/*
 * generations FILE: where each generation of a v2 trace ends, one offset per
 * line. Only the framing of headers go 1.22 to go 1.25 is looked at.
 */
#include <stdint.h>
#include <stdio.h>

static int read_uv(FILE *f, uint64_t *v)
{
	int c, shift = 0;

	for (*v = 0; (c = getc(f)) != EOF; shift += 7) {
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t gen, current = 0, v[3];	/* m, time, size */
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	long at;

	if (!f || fseek(f, 16, SEEK_SET))
		return 2;
	for (at = ftell(f); getc(f) == 1; at = ftell(f)) {
		if (!read_uv(f, &gen) || !read_uv(f, v) || !read_uv(f, v + 1) || !read_uv(f, v + 2))
			return 1;
		if (current && gen != current)
			printf("%ld\n", at);
		current = gen;
		fseek(f, (long)v[2], SEEK_CUR);
	}
	printf("%ld\n", at);
	return 0;
}
