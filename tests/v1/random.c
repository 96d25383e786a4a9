// SPDX-License-Identifier: Apache-2.0
/* random SEED > TRACE: see random.h. The seed says which format, of those since Go 1.5. */
#include "random.h"

enum { BYTES = 4001, FORMATS = 7 };

static uint64_t step(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

int main(int argc, char **argv)
{
	unsigned int seed = argc == 2 ? (unsigned int)atoi(argv[1]) : 0, i;
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + 1;
	static uint8_t bytes[BYTES];
	struct make m;

	bytes[0] = (uint8_t)(1 + seed % FORMATS + 8 * (seed / FORMATS % 2));
	for (i = 1; i < BYTES; i++)
		bytes[i] = (uint8_t)(step(&x) >> 32);
	m = random_trace(bytes, BYTES);
	return fwrite(m.data, 1, m.len, stdout) != m.len;
}
