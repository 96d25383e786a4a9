/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_out: writes JSON to a stream. The caller opens and closes objects and
 * arrays in pairs; names are given inside objects and NULL inside arrays. Text
 * is written as UTF-8 whatever bytes it has, control characters (base/show.h) escaped.
 */
#ifndef GOTAP_BASE_JSON_OUT_H
#define GOTAP_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
	FILE *f;
	bool comma;		/* something stands before, on the same level */
};

void json_open_object(struct json_out *j, const char *name);
void json_close_object(struct json_out *j);
void json_open_array(struct json_out *j, const char *name);
void json_close_array(struct json_out *j);
/* NULL as @value is written as null. */
void json_put_text(struct json_out *j, const char *name, const char *value);
void json_put_number(struct json_out *j, const char *name, int64_t value);
void json_put_count(struct json_out *j, const char *name, uint64_t value);
/* With so many digits behind the point. */
void json_put_real(struct json_out *j, const char *name, double value, int digits);
/* @text is JSON already, and whole. */
void json_put_json(struct json_out *j, const char *name, const void *text, size_t n);
void json_put_bool(struct json_out *j, const char *name, bool value);

#endif
