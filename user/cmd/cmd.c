// SPDX-License-Identifier: Apache-2.0
/* cmd: what all subcommands say in the same way. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/show.h"

int cmd_fail(const struct error *err)
{
	show_printf(stderr, "gotap: %s%s\n", err->text, limits_explain(err->code).text);
	return EXIT_FAIL;
}

int cmd_usage(const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	show_printf(stderr, "gotap %s: %s; try 'gotap %s --help'\n", name, text, name);
	return EXIT_USAGE;
}

int cmd_bad_option(const char *name, int c, char **argv)
{
	const char *arg = argv[optind - 1];

	if (c == ':')	/* the last of its argument, so that is behind us */
		return cmd_usage(name, "%s needs a value", arg);
	if (!optopt)
		return cmd_usage(name, "there is no option '%s', or several begin so", arg);
	if (!strncmp(arg, "--", 2) && strchr(arg, '='))
		return cmd_usage(name, "%.*s takes no value", (int)strcspn(arg, "="), arg);
	return cmd_usage(name, "there is no option '-%c'", optopt);
}
