// SPDX-License-Identifier: Apache-2.0
/* commands: see commands.h. */
#include "cmd/commands.h"

#include <stddef.h>
#include <string.h>

const struct command *commands;

const struct command *command_named(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}
