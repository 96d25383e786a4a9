/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema: JSON schemas (draft 2020-12) of all that gotap prints as JSON. docs/json.md says what
 * they promise. The sources (files.h) refer to definitions by "#/$defs/NAME"; a schema that is
 * made here has all of these in itself.
 */
#ifndef GOTAP_SCHEMA_SCHEMA_H
#define GOTAP_SCHEMA_SCHEMA_H

#include <json-c/json.h>

#include "schema/files.h"

/*
 * Makes the schema @name, a member of schema_files with .says. NULL: there is none of this name.
 * The caller releases it with json_object_put().
 */
struct json_object *schema_new(const char *name);

/*
 * Takes away what is for readers only, in place: titles, descriptions, units and the name of the
 * schema. The rules stay.
 */
void schema_strip(struct json_object *schema);

#endif
