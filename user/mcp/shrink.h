/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrink: cuts the lists of an answer until it fits, those with most bytes first, so that it stays
 * valid by its schema, and says what was cut. Lists keep their first items: gotap writes the most
 * important ones first.
 */
#ifndef GOTAP_MCP_SHRINK_H
#define GOTAP_MCP_SHRINK_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Cuts @value in place to at most @most bytes of JSON. Adds an object with at, kept, of to the
 * array
 * @left_out for each place where lists were cut. False: it is too long without any list, too.
 */
bool shrink(struct json_object *value, size_t most, struct json_object *left_out);
/* The bytes of @value as JSON. */
size_t shrink_size(struct json_object *value);

#endif
