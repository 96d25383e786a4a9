// SPDX-License-Identifier: Apache-2.0
/* cmd: what all subcommands say in the same way. */
#include "cmd/cmd.h"

#include <stdarg.h>
#include <stdio.h>

int cmd_fail(const struct error *err)
{
	fprintf(stderr, "gotap: %s\n", err->text);
	return EXIT_FAIL;
}

int cmd_usage(const char *name, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "gotap %s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; try 'gotap %s --help'\n", name);
	return EXIT_USAGE;
}
