// SPDX-License-Identifier: Apache-2.0
/* make VERSION < TEXT > TRACE: see make.h. VERSION is gotrace or the N of go 1.N. */
#include "make.h"

int main(int argc, char **argv)
{
	static char text[MAKE_MAX];
	struct make m;

	if (argc != 2 || fread(text, 1, sizeof(text) - 1, stdin) == 0)
		return 2;
	m = make_trace(strcmp(argv[1], "gotrace") ? atoi(argv[1]) : MAKE_GOTRACE, text);
	return fwrite(m.data, 1, m.len, stdout) != m.len;
}
