// SPDX-License-Identifier: Apache-2.0
/*
 * events: `gotap events`: the groups of events, what each contains, what it costs, which
 * functions it probes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

static const struct command_line events_line = {
	.name = "events",
	.usage = "gotap events",
	.about =
		"Lists the groups that `gotap record --events LIST` takes, what each contains\n"
		"and the runtime functions it probes. LIST is like gc,heap; or `all`; or\n"
		"+sweep,-heap, which changes the default.\n"
		"\n"
		"Costs are in empty uprobes, the least that any tracer by probes can cost: some\n"
		"0.3 us each on bare metal, 0.8 on a virtual machine; tools/group-costs measures\n"
		"them. They were measured on amd64.\n",
	.operands = "takes no arguments",
};

static void events_print_cost(enum group g)
{
	struct group_cost cost = group_cost(g);

	if (g == GROUP_LINUX)
		puts("    cost of a context switch with its wake-up, on a virtual machine: some "
		     "0.2 us of the program, 0.1 us of another\n"
		     "    one, which --budget does not count\n"
		     "    scheduler's tracepoints: sched_switch, sched_waking, sched_wakeup_new, "
		     "sched_migrate_task");
	else if (g == GROUP_CRASH)
		puts("    cost: one record in a program's life");
	else if (g == GROUP_CPU)
		printf("    cost of a sample: %.1f empty uprobes, at an interrupt of the clock\n",
		       cost.uprobes);
	else
		printf("    cost of an event: %.1f empty uprobes; %.2f hits of the probes on\n",
		       cost.uprobes, cost.hits);
}

/* A function may have more than one probe. */
static bool is_repeated(enum group g, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (!strcmp(plan_group_function(g, k), plan_group_function(g, i)))
			return true;
	return false;
}

static void events_print_probes(enum group g)
{
	const char *function;
	size_t i, width = 4;

	if (!plan_group_function(g, 0))
		return;
	fputs("    ", stdout);
	for (i = 0; (function = plan_group_function(g, i)); i++) {
		if (is_repeated(g, i))
			continue;
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
	events_print_cost(g);
	events_print_probes(g);
}

int cmd_events(int argc, char **argv)
{
	int status = command_line_read(&events_line, NULL, argc, argv);
	enum group g;

	if (status)
		return status - 1;
	puts("GROUP    DEFAULT EVENTS, THEN COST (1 empty uprobe: "
	     "some 0.3 us, 0.8 on a virtual machine, of amd64) AND PROBES");
	for (g = 0; g < GROUPS; g++)
		print_group(g);
	return EXIT_OK;
}
