// SPDX-License-Identifier: Apache-2.0
/* alloc: see alloc.h. */
#include "read/alloc.h"

#include <stdlib.h>
#include <string.h>

bool alloc_is_log(const char *category)
{
	return !strcmp(category, ALLOC_CATEGORY) || !strcmp(category, ALLOC_FREE_CATEGORY);
}

/* Takes "KEY=NUMBER" at *@at, and the space behind it. False: another key, or no number. */
static bool alloc_take(const char **at, const char *key, uint64_t *ret)
{
	size_t n = strlen(key);
	char *end;

	if (strncmp(*at, key, n) || (*at)[n] != '=' || (*at)[n + 1] < '0' || (*at)[n + 1] > '9')
		return false;
	*ret = strtoull(*at + n + 1, &end, 10);
	if (*end && *end != ' ')
		return false;
	*at = end + (*end == ' ');
	return true;
}

bool alloc_log_parse(struct alloc_log *ret, const char *message)
{
	static const char type[] = "type=";

	*ret = (struct alloc_log){ .type = "" };
	if (!alloc_take(&message, "size", &ret->size) || !ret->size)
		return false;
	alloc_take(&message, "rate", &ret->rate);
	alloc_take(&message, "collections", &ret->collections);
	if (!strncmp(message, type, sizeof(type) - 1))
		ret->type = message + sizeof(type) - 1;
	return *ret->type || !*message;
}
