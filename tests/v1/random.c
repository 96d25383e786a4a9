// SPDX-License-Identifier: Apache-2.0
/* random < BYTES > TRACE: see random.h. */
#include "random.h"

int main(void)
{
	static uint8_t bytes[1 << 16];
	size_t n = fread(bytes, 1, sizeof(bytes), stdin);
	struct make m = random_trace(bytes, n);

	return fwrite(m.data, 1, m.len, stdout) != m.len;
}
