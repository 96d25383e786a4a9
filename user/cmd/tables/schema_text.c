// SPDX-License-Identifier: Apache-2.0
/* schema_text: `gotap tables --schema`: the tables and their columns, as text and as JSON. */
#include <stdio.h>

#include "base/json_out.h"
#include "cmd/tables/tables.h"

static void print_column(const struct schema_column *c)
{
	printf("  %-17s %-13s%s%s%s%s%s\n", c->parquet.name,
	       schema_sql_type(c->parquet.type), c->parquet.optional ? "null  " : "      ",
	       c->doc, *c->unit ? " (" : "", c->unit, *c->unit ? ")" : "");
}

void schema_print(void)
{
	enum tables_id i;
	size_t c;

	printf("schema %d.%d\n", SCHEMA_MAJOR, SCHEMA_MINOR);
	for (i = 0; i < TABLES; i++) {
		const struct schema_table *table = schema_table(i);

		printf("\n%s: %s\n", table->name, table->doc);
		for (c = 0; c < table->n; c++)
			print_column(&table->columns[c]);
	}
}

static void schema_json_column(struct json_out *j, const struct schema_column *c)
{
	json_open_object(j, NULL);
	json_put_text(j, "name", c->parquet.name);
	json_put_text(j, "type", schema_sql_type(c->parquet.type));
	json_put_bool(j, "nullable", c->parquet.optional);
	json_put_text(j, "unit", *c->unit ? c->unit : NULL);
	json_put_text(j, "meaning", c->doc);
	json_close_object(j);
}

static void schema_json_table(struct json_out *j, const struct schema_table *table)
{
	size_t c;

	json_open_object(j, NULL);
	json_put_text(j, "name", table->name);
	json_put_text(j, "row", table->doc);
	json_open_array(j, "columns");
	for (c = 0; c < table->n; c++)
		schema_json_column(j, &table->columns[c]);
	json_close_array(j);
	json_close_object(j);
}

void schema_print_json(void)
{
	struct json_out j = { .f = stdout };
	char version[24];
	enum tables_id i;

	snprintf(version, sizeof(version), "%d.%d", SCHEMA_MAJOR, SCHEMA_MINOR);
	json_open_object(&j, NULL);
	json_put_text(&j, "schema", version);
	json_open_array(&j, "tables");
	for (i = 0; i < TABLES; i++)
		schema_json_table(&j, schema_table(i));
	json_close_array(&j);
	json_close_object(&j);
	putchar('\n');
}
