// SPDX-License-Identifier: Apache-2.0
/* schema: `gotap schema [NAME]`: the JSON schema of an output (schema/schema.h), or their list. */
#include "schema/schema.h"

#include <getopt.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/options.h"

static const struct command_line schema_line = {
	.name = "schema",
	.usage = "gotap schema [SCHEMA]",
	.about =
		"Prints the JSON schema (draft 2020-12) of an output of gotap: each field with\n"
		"its meaning and its unit. SCHEMA is mostly the command, like `report`; without\n"
		"it all are listed. docs/json.md says what later versions of gotap may change.\n",
	.most = 1, .operands = "one SCHEMA at most: `gotap schema` lists them",
};

static int schema_list(void)
{
	const struct schema_file *f;

	for (f = schema_files; f->name; f++)
		if (f->says)
			printf("%-10s %s\n", f->name, f->says);
	return EXIT_OK;
}

static int schema_print_one(const char *name)
{
	struct json_object *schema = schema_new(name);

	if (!schema)
		return cmd_usage("schema", "there is no schema '%s': `gotap schema` lists them",
				 name);
	puts(json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(schema);
	return EXIT_OK;
}

int cmd_schema(int argc, char **argv)
{
	int status = command_line_read(&schema_line, NULL, argc, argv);

	if (status)
		return status - 1;
	return argv[optind] ? schema_print_one(argv[optind]) : schema_list();
}
