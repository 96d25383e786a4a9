// SPDX-License-Identifier: Apache-2.0
/* json_out: see json_out.h. */
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>

#include "base/show.h"

static void json_put_rune(FILE *f, unsigned int rune)
{
	if (rune == '"' || rune == '\\')
		fprintf(f, "\\%c", (int)rune);
	else
		fprintf(f, "\\u%04x", rune);
}

/* Characters that could change a terminal are written as \\u....: in JSON this is the same text. */
static void json_put_string(FILE *f, const char *text)
{
	const char *s = text;
	unsigned int rune;
	int n;

	fputc('"', f);
	for (; *s; s += n) {
		rune = show_rune(s, &n);
		if (!rune)
			fputs("\\ufffd", f);
		else if (rune == '"' || rune == '\\' || show_is_control(rune))
			json_put_rune(f, rune);
		else
			fwrite(s, 1, (size_t)n, f);
	}
	fputc('"', f);
}

static void json_begin(struct json_out *j, const char *name)
{
	if (j->comma)
		fputs(", ", j->f);
	j->comma = true;
	if (!name)
		return;
	json_put_string(j->f, name);
	fputs(": ", j->f);
}

static void open_level(struct json_out *j, const char *name, char bracket)
{
	json_begin(j, name);
	fputc(bracket, j->f);
	j->comma = false;
}

static void close_level(struct json_out *j, char bracket)
{
	fputc(bracket, j->f);
	j->comma = true;
}

void json_open_object(struct json_out *j, const char *name)
{
	open_level(j, name, '{');
}

void json_close_object(struct json_out *j)
{
	close_level(j, '}');
}

void json_open_array(struct json_out *j, const char *name)
{
	open_level(j, name, '[');
}

void json_close_array(struct json_out *j)
{
	close_level(j, ']');
}

void json_put_text(struct json_out *j, const char *name, const char *value)
{
	json_begin(j, name);
	if (value)
		json_put_string(j->f, value);
	else
		fputs("null", j->f);
}

void json_put_number(struct json_out *j, const char *name, int64_t value)
{
	json_begin(j, name);
	fprintf(j->f, "%" PRId64, value);
}

void json_put_count(struct json_out *j, const char *name, uint64_t value)
{
	json_begin(j, name);
	fprintf(j->f, "%" PRIu64, value);
}

/* JSON has no NaN and no infinity: these are written as null. */
void json_put_real(struct json_out *j, const char *name, double value, int digits)
{
	json_begin(j, name);
	if (isfinite(value))
		fprintf(j->f, "%.*f", digits, value);
	else
		fputs("null", j->f);
}

void json_put_json(struct json_out *j, const char *name, const void *text, size_t n)
{
	json_begin(j, name);
	fwrite(text, 1, n, j->f);
}

void json_put_bool(struct json_out *j, const char *name, bool value)
{
	json_begin(j, name);
	fputs(value ? "true" : "false", j->f);
}
