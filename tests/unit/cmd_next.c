// SPDX-License-Identifier: Apache-2.0
/* next: which commands an answer ends with, and that no text of a trace gets into a shell. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmd/next.h"

/* Returns the text that next_print() prints; the caller frees it. */
static char *cmd_next_text(const struct next *n)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	next_print(n, f);
	fclose(f);
	return text;
}

static bool cmd_next_is(const struct next *n, const char *want)
{
	char *text = cmd_next_text(n);
	bool same = !strcmp(text, want);

	if (!same)
		fprintf(stderr, "%s", text);
	free(text);
	return same;
}

static void nothing_is_printed_for_nothing(void)
{
	CHECK(cmd_next_is(&(struct next){ .trace = "x", .pid = "1" }, ""));
}

static void the_first_two_of_the_table_are_shown(void)
{
	struct next n = { .trace = "x.trace", .pid = "12", .range = "-g 7 --from 0.1 --to 0.2" };

	next_want(&n, NEXT_LINUX);
	next_want(&n, NEXT_SAMPLES);
	next_want(&n, NEXT_SLOWEST);
	CHECK(cmd_next_is(&n, "\nNEXT\n"
			  "  the critical path of the slowest one, step by step:\n"
			  "      gotap why x.trace -g 7 --from 0.1 --to 0.2\n"
			  "  which functions run (this trace has no CPU samples of them):\n"
			  "      gotap record -p 12 -d 5s --cpu-samples 99\n"));
}

/* A pipe cannot be read a second time, and a command needs a range that is known: then no command is printed. */
static void a_row_without_its_words_gives_way(void)
{
	struct next n = { .trace = next_file("/dev/null"), .range = "-g 7" };

	next_want(&n, NEXT_SLOWEST);
	next_want(&n, NEXT_REPORT);
	next_want(&n, NEXT_LINUX);
	CHECK(cmd_next_is(&n, "\nNEXT\n"
			  "  whether threads had a CPU (this trace has no states of threads):\n"
			  "      gotap record -p PID -d 5s -e +linux\n"));
	n.trace = "x";
	*n.range = 0;
	n.wanted = 0;
	next_want(&n, NEXT_SLOWEST);
	CHECK(cmd_next_is(&n, ""));
}

static void names_are_words_of_a_shell(void)
{
	struct next n = { .trace = "it's; rm x", .pid = "1; rm x" };

	next_want(&n, NEXT_ALL);
	next_want(&n, NEXT_RECORD);
	next_put_name(n.func, "--func", "main.(*cache).lookup");
	CHECK(cmd_next_is(&n, "\nNEXT\n"
			  "  why the slow ones are slower than the others:\n"
			  "      gotap why 'it'\\''s; rm x' --func 'main.(*cache).lookup' --all\n"
			  "  what it does, for five seconds:\n"
			  "      gotap record -p PID -d 5s\n"));
}

static void a_name_without_room_is_not_known(void)
{
	char name[NEXT_WORD + 1], word[NEXT_WORD];

	memset(name, 'f', NEXT_WORD);
	name[NEXT_WORD] = 0;
	next_put_name(word, "--func", name);
	CHECK(!*word);
}

/* The id of a process says nothing on another host. */
static void the_pid_is_that_of_this_host(void)
{
	struct origin o = {0};
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	o.facts[ORIGIN_PID] = "4711";
	CHECK(!next_pid(&o));
	o.facts[ORIGIN_HOST] = host;
	CHECK(!strcmp(next_pid(&o), "4711"));
	o.facts[ORIGIN_HOST] = "not-this-host";
	CHECK(!next_pid(&o));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(nothing_is_printed_for_nothing),
		UNIT(the_first_two_of_the_table_are_shown),
		UNIT(a_row_without_its_words_gives_way),
		UNIT(names_are_words_of_a_shell),
		UNIT(a_name_without_room_is_not_known),
		UNIT(the_pid_is_that_of_this_host), {0} });
}
