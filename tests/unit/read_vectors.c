// SPDX-License-Identifier: Apache-2.0
/*
 * read: every vector of tests/vectors gets the verdict that Go 1.27 gave it
 * (RESULTS.tsv), after as many events, in the same words; and text and wire
 * form of each lead to one another.
 */
#include "unit.h"

#include <dirent.h>
#include <stdlib.h>

#include "read/check.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"
#include "read/wire_write.h"

static const char folder[] = "tests/vectors";

static struct buf load(const char *name, const char *suffix)
{
	char path[512];
	struct raw_source s;
	struct error err;
	struct buf data = {0};

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	if (source_open(&s, path, &err))
		return data;
	while (source_need(&s, 1)) {
		buf_add(&data, s.pos, source_left(&s));
		s.pos = s.end;
	}
	source_close(&s);
	return data;
}

/* The one vector that is, byte for byte, one of the accepted: its trap is a warning. */
static bool is_warning(const char *name)
{
	return !strcmp(name, "mmu_no_procschange");
}

static bool same_words(const char *ours, const char *goes)
{
	size_t n = strlen(goes);
	const char *cut = strstr(goes, " frontier:");	/* a dump of Go's own follows */

	if (cut)
		n = (size_t)(cut - goes);
	return !strncmp(ours, goes, n);
}

/* "[reader@3] the error" */
static bool refused_as(const struct check_result *result, const char *outcome)
{
	char kind[16];
	unsigned long long events;
	int text = 0;

	if (sscanf(outcome, "[%15[a-z]@%llu] %n", kind, &events, &text) == 2 && text)
		return !strcmp(check_kind_name(result->kind), kind) &&
		       result->fault_event == events &&
		       same_words(result->fault.rule, outcome + text);
	/* PANIC ..., mutator utilization ...: read well, and deadly to tools. */
	return result->kind == CHECK_TRAP;
}

static void check_vector(const char *name, const char *outcome)
{
	struct buf data = load(name, ".trace");
	struct check_result result;
	bool ok;

	check_memory(data.data, data.len, false, &result);
	if (!strcmp(outcome, "accepted"))
		ok = result.kind == CHECK_OK;
	else if (is_warning(name))
		ok = result.kind == CHECK_OK && result.warning[WARN_NO_PROCS].count;
	else
		ok = refused_as(&result, outcome);
	if (!ok) {
		printf("# %s: expected %s, got %s after %llu events: %s\n", name, outcome,
		       check_kind_name(result.kind), (unsigned long long)result.fault_event,
		       result.fault.rule);
		unit_failures++;
	}
	check_memory(data.data, data.len, true, &result);
	if (!strncmp(outcome, "[reader", 7) != (result.kind == CHECK_READER)) {
		printf("# %s: lenient: %s\n", name, check_kind_name(result.kind));
		unit_failures++;
	}
	buf_free(&data);
}

static void verdicts_are_those_of_go(void)
{
	struct buf table = load("RESULTS", ".tsv");
	char *line, *next;
	int n = 0;

	buf_add_byte(&table, 0);
	for (line = (char *)table.data; (next = strchr(line, '\n')); line = next + 1) {
		char *tab = strchr(line, '\t');

		*next = 0;
		if (!tab)
			continue;
		*tab = 0;
		check_vector(line, tab + 1);
		n++;
	}
	CHECK(n > 100);
	buf_free(&table);
}

static void text_form_gives(const char *name)
{
	struct buf text = load(name, ".test"), want = load(name, ".trace");
	struct raw_source source;
	struct raw_sink wire;
	struct error err = {0};

	source_open_memory(&source, text.data, text.len);
	sink_open(&wire, -1, NULL);
	wire_write(&source, &wire, &err);
	if (err.code || wire.buf.len != want.len ||
	    memcmp(wire.buf.data, want.data, want.len)) {
		printf("# %s: %s\n", name, err.code ? err.text : "another wire form");
		unit_failures++;
	}
	buf_free(&wire.buf);
	buf_free(&text);
	buf_free(&want);
}

static void text_forms_give_the_wire_forms(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	CHECK(dir != NULL);
	while (dir && (entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".test"))
			continue;
		*dot = 0;
		text_form_gives(entry->d_name);
		n++;
	}
	CHECK(n > 100);
	if (dir)
		closedir(dir);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(verdicts_are_those_of_go),
		UNIT(text_forms_give_the_wire_forms),
		{0},
	});
}
