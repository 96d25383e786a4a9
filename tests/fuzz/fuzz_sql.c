// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_sql: statements of any bytes. The form is no longer than the statement, has no string in single quotes and no
 * control bytes, and is its own form but for names in double quotes, of which the second reading knows less.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sql_text.h"

static void form_fuzz_check(const uint8_t *data, size_t n)
{
	char *form = malloc(n + 1), *again = malloc(n + 1);
	size_t len, i;

	if (!form || !again)
		abort();
	len = sql_text_form(form, (const char *)data, n);
	if (len > n || memchr(form, '\'', len))
		abort();
	for (i = 0; i < len; i++)
		if ((uint8_t)form[i] < ' ')
			abort();
	if (sql_text_form(again, form, len) > len)
		abort();
	free(form);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* a buffer of its own, for the sanitizers */
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	form_fuzz_check(copy, n);
	free(copy);
	return 0;
}
