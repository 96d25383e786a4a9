// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_metrics: names of programs and lines of a recording on their way to /metrics. The first byte says which format;
 * then lines: "l TEXT" is a label, each other one a line of `gotap top --json`. What is written must be lines of that
 * format, whatever the texts are, with numbers that are finite and not negative.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "metrics/families.h"

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* Behind NAME="...", or NULL. */
static char *skip_label(char *at)
{
	while (is_name(*at))
		at++;
	if (strncmp(at, "=\"", 2))
		return NULL;
	for (at += 2; *at && *at != '"'; at++)
		if (*at == '\\' && !*++at)
			return NULL;
	return *at ? at + 1 : NULL;
}

static char *skip_labels(char *at)
{
	do {
		at = skip_label(at + 1);
	} while (at && *at == ',');
	return at && *at == '}' ? at + 1 : NULL;
}

static void check_sample(char *line)
{
	char *at = line, *end;
	double value;

	while (is_name(*at))
		at++;
	must(at > line, "a sample has a name");
	if (*at == '{')
		at = skip_labels(at);
	must(at && *at == ' ', "labels have an end");
	value = strtod(at + 1, &end);
	must(!*end && isfinite(value) && value >= 0, "a value is a number");
}

static void check_text(struct buf *text)
{
	char *line, *save = NULL;
	size_t i;
	int len;

	buf_add_byte(text, 0);
	must(strlen((char *)text->data) == text->len - 1, "there is no NUL");
	for (i = 0; i + 1 < text->len; i += (size_t)len)
		must(show_rune((char *)text->data + i, &len), "it is UTF-8");
	for (line = strtok_r((char *)text->data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (*line != '#')
			check_sample(line);
}

static void take(struct metrics_program *p, char *line)
{
	if (!strncmp(line, "l ", 2))
		metrics_label(&p->labels, "process", line + 2);
	else
		watched_add(&p->watched, line, strlen(line));
	must(p->watched.n_reasons <= WATCHED_REASONS && p->watched.limits <= WATCHED_LIMITS, "sums are bounded");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metrics_program p = { .is_watched = true };
	char *text = strndup(size ? (const char *)data + 1 : "", size ? size - 1 : 0), *line, *save = NULL;
	struct buf out = {0};
	struct metrics_text t = { .out = &out, .open = size && data[0] % 2 };

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		take(&p, line);
	metrics_programs(&t, &p, 1);
	metrics_end(&t);
	check_text(&out);
	metrics_program_free(&p);
	buf_free(&out);
	free(text);
	return 0;
}
