// SPDX-License-Identifier: Apache-2.0
/* The grammar of --on: the rules that texts give, and the error lines of wrong texts. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "trigger/parse.h"

struct good {
	const char *text;
	enum trigger_kind kind;
	unsigned long long limit;
	const char *name, *reason, *func;
};

static const struct good goods[] = {
	{ "signal", TRIGGER_SIGNAL, 0, NULL, NULL, NULL },
	{ "socket", TRIGGER_SOCKET, 0, NULL, NULL, NULL },
	{ "runnable>10ms", TRIGGER_RUNNABLE, 10000000, NULL, NULL, NULL },
	{ "runnable>1.5us", TRIGGER_RUNNABLE, 1500, NULL, NULL, NULL },
	{ "blocked>2", TRIGGER_BLOCKED, 2000000000, NULL, NULL, NULL },
	{ "blocked>1m30s:chan receive", TRIGGER_BLOCKED, 90000000000, NULL, "chan receive", NULL },
	{ "blocked>1s:chan*:main.(*T).f", TRIGGER_BLOCKED, 1000000000, NULL, "chan*", "main.(*T).f" },
	{ "blocked>1s::main.f", TRIGGER_BLOCKED, 1000000000, NULL, NULL, "main.f" },
	{ "syscall>1s", TRIGGER_SYSCALL, 1000000000, NULL, NULL, NULL },
	{ "stw>500us", TRIGGER_STW, 500000, NULL, NULL, NULL },
	{ "gc", TRIGGER_GC, 0, NULL, NULL, NULL },
	{ "goroutines>10000", TRIGGER_GOROUTINES, 10000, NULL, NULL, NULL },
	{ "goroutines>0", TRIGGER_GOROUTINES, 0, NULL, NULL, NULL },
	{ "heap>1.5G", TRIGGER_HEAP, 3ULL << 29, NULL, NULL, NULL },
	{ "heap>512MiB", TRIGGER_HEAP, 512ULL << 20, NULL, NULL, NULL },
	{ "region:load>1s", TRIGGER_REGION, 1000000000, "load", NULL, NULL },
	{ "region:a>b: c>20ms", TRIGGER_REGION, 20000000, "a>b: c", NULL, NULL },
	{ "task:*>1h", TRIGGER_TASK, 3600000000000, "*", NULL, NULL },
	{ "func:main.main.func1>1s", TRIGGER_FUNC, 1000000000, "main.main.func1", NULL, NULL },
	{ "unit:main.handle>50ms", TRIGGER_UNIT, 50000000, "main.handle", NULL, NULL },
	{ "unit-p99:main.handle>50ms", TRIGGER_UNIT_P99, 50000000, "main.handle", NULL, NULL },
	{ "sched-p99>5ms", TRIGGER_SCHED_P99, 5000000, NULL, NULL, NULL },
	{ "throttled>50ms", TRIGGER_THROTTLED, 50000000, NULL, NULL, NULL },
	{ "request>200ms", TRIGGER_REQUEST, 200000000, NULL, NULL, NULL },
	{ "request:/checkout>200ms", TRIGGER_REQUEST, 200000000, "/checkout", NULL, NULL },
	{ "request:GET /a>b>1s", TRIGGER_REQUEST, 1000000000, "GET /a>b", NULL, NULL },
	{ "errors>5%", TRIGGER_ERRORS, 50000, NULL, NULL, NULL },
	{ "errors:POST /*>0.1%", TRIGGER_ERRORS, 1000, "POST /*", NULL, NULL },
	{ "log:^db: (a|b)", TRIGGER_LOG, 0, "^db: (a|b)", NULL, NULL },
	{ "exit", TRIGGER_EXIT, 0, NULL, NULL, NULL },
	{ "crash", TRIGGER_CRASH, 0, NULL, NULL, NULL },
	{ "hang>10s", TRIGGER_HANG, 10000000000, NULL, NULL, NULL },
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void means_that(const void *row)
{
	const struct good *g = row;
	struct trigger_rule rule;
	struct error err = {0};

	CHECK_EQ(trigger_parse(&rule, g->text, &err), 0);
	CHECK_STR(err.text, "");
	if (err.code)
		return;
	CHECK_EQ(rule.kind, g->kind);
	CHECK_EQ(rule.limit, g->limit);
	CHECK_STR(rule.text, g->text);
	CHECK(same(rule.name, g->name));
	CHECK(same(rule.reason, g->reason));
	CHECK(same(rule.func, g->func));
	trigger_rule_free(&rule);
}

/* @says: a part of the error line. */
static const struct bad { const char *text, *says; } bads[] = {
	{ "", "'' is no trigger; these are: signal, socket, runnable>T, blocked>T[:REASON][:FUNC], " },
	{ "gcs", "is no trigger" },
	{ "Runnable>1s", "is no trigger" },
	{ ">1s", "is no trigger" },
	{ "gc>1s", "nothing stands behind the word; it is gc: " },
	{ "exit:1", "nothing stands behind the word" },
	{ "runnable", "a limit is missing; it is runnable>T: " },
	{ "runnable>", "T is a time, like 100ms or 2s; it is runnable>T: a goroutine could run" },
	{ "runnable>0s", "T is a time" },
	{ "runnable>-1s", "T is a time" },
	{ "runnable>1e3s", "T is a time" },
	{ "runnable>5 ms", "T is a time" },
	{ "runnable>5ms:select", "T is a time" },
	{ "runnable:5ms", "a limit is missing" },
	{ "runnable>99999h", "T is a time" },
	{ "runnable>0.1us:", "T is a time" },
	{ "blocked>1s:", "REASON is empty" },
	{ "blocked>1s:main.f", "no wait has that REASON" },
	{ "blocked>1s:select:", "FUNC is empty" },
	{ "blocked:select>1s", "a limit is missing" },
	{ "goroutines>1k", "N is a whole number" },
	{ "goroutines>-1", "N is a whole number" },
	{ "goroutines>99999999999999999999", "N is a whole number" },
	{ "heap>lots", "SIZE is a number of bytes" },
	{ "heap>1X", "SIZE is a number of bytes" },
	{ "heap>0", "SIZE is a number of bytes" },
	{ "heap>1e30", "SIZE is a number of bytes" },
	{ "heap>99999999999999999999", "SIZE is a number of bytes" },
	{ "region", "a name is missing; it is region:NAME>T" },
	{ "region>1s", "a name is missing" },
	{ "region:load", "there is no >T" },
	{ "region:>1s", "NAME is empty" },
	{ "task:x>soon", "T is a time" },
	{ "request", "a limit is missing; it is request[:ROUTE]>T: a request that" },
	{ "request:", "there is no >T" },
	{ "request:>1s", "NAME is empty" },
	{ "request>5%", "T is a time" },
	{ "errors", "a limit is missing" },
	{ "errors>5", "P% is a share below 100 %, like 5% or 0.5%; it is errors[:ROUTE]>P%: of the" },
	{ "errors>100%", "P% is a share" },
	{ "errors>-1%", "P% is a share" },
	{ "errors>nan%", "P% is a share" },
	{ "errors:/x>1s", "P% is a share" },
	{ "log", "a regular expression is missing" },
	{ "log:", "REGEXP is empty" },
	{ "log:(", "REGEXP is none, as of grep -E" },
	{ "log:(a)\\1", "REGEXP may have no back references" },
	{ "hang", "a limit is missing; it is hang>T" },
};

static void says_so(const void *row)
{
	const struct bad *b = row;
	struct trigger_rule rule;
	struct error err = {0};

	CHECK(trigger_parse(&rule, b->text, &err) < 0);
	if (!strstr(err.text, b->says))
		CHECK_STR(err.text, b->says);
	CHECK(!strchr(err.text, '\n'));
	CHECK(!rule.text && !rule.name);
}

static void too_long_is_wrong(void)
{
	char *text = malloc(4000);
	struct trigger_rule rule;
	struct error err;

	memset(text, 'a', 3999);
	memcpy(text, "log:", 4);
	text[3999] = '\0';
	CHECK(trigger_parse(&rule, text, &err) < 0);
	CHECK(strstr(err.text, "longer than 1024 bytes"));
	free(text);
}

static void each_kind_has_a_line_of_help(void)
{
	char *text = NULL;
	size_t size, lines = 0, i;
	FILE *f = open_memstream(&text, &size);

	trigger_help(f);
	fclose(f);
	for (i = 0; i < size; i++)
		lines += text[i] == '\n';
	CHECK_EQ(lines, TRIGGER_KINDS);
	CHECK(strstr(text, "  runnable>T                  a goroutine could run"));
	free(text);
}

int main(void)
{
	struct unit_case cases[8 + sizeof(goods) / sizeof(goods[0]) + sizeof(bads) / sizeof(bads[0])] = {
		UNIT(too_long_is_wrong),
		UNIT(each_kind_has_a_line_of_help),
	};

	UNIT_ROWS(cases, goods, means_that);
	UNIT_ROWS(cases, bads, says_so);
	return unit_main(cases);
}
