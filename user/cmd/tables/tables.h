/* SPDX-License-Identifier: Apache-2.0 */
/* tables: the tables of a trace, for `gotap tables` and for `gotap record --tables`. */
#ifndef GOTAP_CMD_TABLES_TABLES_H
#define GOTAP_CMD_TABLES_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "tables/schema.h"

struct tables_wish {
	const char *dir;
	const char *host, *service;	/* NULL: those of the trace */
	const char *binary;		/* as of trace_input_open() */
	bool not_wanted[TABLES];
	unsigned long group_rows;	/* 0: the default */
	FILE *say;			/* for a line for each trace; NULL: none */
	bool json;			/* print the manifest on standard output instead */
};

/*
 * Writes the tables of the trace at @path, and says what was written. Returns 0 or -errno with
 * @err: an error of writing, after which no further file has its name and there is no manifest, or
 * the damage of the trace: the tables have all that comes before it. *@failed becomes true if a
 * further fault was printed.
 */
int tables_of(const char *path, const struct tables_wish *w, bool *failed, struct error *err);

/* schema_text.c: prints the schema on standard output. */
void schema_print(void);
void schema_print_json(void);

#endif
