// SPDX-License-Identifier: Apache-2.0
/* events: `gotap events`: the groups of events, what each contains, what it costs, which functions it probes. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "cmd/cmd.h"

static const char help[] =
	"usage: gotap events\n"
	"\n"
	"Lists the groups that `gotap record --events LIST` takes, what each contains and\n"
	"the runtime functions it probes. LIST is like gc,heap; `all`; `-heap`.\n"
	"\n"
	"Costs are in empty uprobes, the least that any tracer by probes can cost: some\n"
	"0.3 us each on bare metal, 0.8 on a virtual machine; tools/group-costs measures them.\n";

static void print_cost(enum group g)
{
	struct group_cost cost = group_cost(g);

	printf("    each costs %.1f empty uprobes", cost.uprobes);
	if (g == GROUP_CPU)
		puts(" at an interrupt of the clock, no probe");
	else
		printf(", %.2f hits of\n", cost.hits);
}

static void print_probes(enum group g)
{
	const char *function;
	size_t i, width = 4;

	if (!plan_group_function(g, 0))
		return;
	fputs("    ", stdout);
	for (i = 0; (function = plan_group_function(g, i)); i++) {
		if (width + strlen(function) > 96) {
			fputs("\n    ", stdout);
			width = 4;
		}
		width += (size_t)printf("%s ", function);
	}
	putchar('\n');
}

static void print_group(enum group g)
{
	printf("%-8s %s  %s\n", group_name(g),
	       groups_default() & 1u << g ? "on " : "off", group_text(g));
	print_cost(g);
	print_probes(g);
}

int cmd_events(int argc, char **argv)
{
	enum group g;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (argc > 1)
		return cmd_usage("events", "takes no arguments");
	for (g = 0; g < GROUPS; g++)
		print_group(g);
	return EXIT_OK;
}
