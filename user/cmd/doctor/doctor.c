// SPDX-License-Identifier: Apache-2.0
/*
 * doctor: `gotap doctor`: can this machine, this process or this file be
 * traced, how, at what cost, and if not, what to do about it. See doctor.h.
 */
#define _GNU_SOURCE
#include "cmd/doctor/doctor.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/pick.h"
#include "files/claims.h"
#include "live/memory.h"
#include "proc/container.h"

struct doctor_options {
	struct pick pick;
	const char *file;
	unsigned int groups;
	int assume_minor;	/* 0: what the program says */
	bool json;
};

static const struct option_row doctor_rows[] = {
	OPTION_EVENTS(offsetof(struct doctor_options, groups)),
	OPTION_ASSUME(offsetof(struct doctor_options, assume_minor)),
	OPTION_BTF,
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct doctor_options, json), "as JSON"),
	{0},
};

static const char *doctor_check(void *options, char **operands)
{
	struct doctor_options *o = options;

	o->file = operands[0];
	return !!o->pick.pid + !!o->pick.container + !!o->file > 1 ?
		       "give one process, container or file" :
		       NULL;
}

static const struct command_line doctor_line = {
	.name = "doctor",
	.usage = "gotap doctor [OPTION...] [-p PID | --container NAME | FILE]",
	.about =
		"Says whether Go programs can be traced on this machine, or whether this one can,\n"
		"and how: what the kernel has, which privileges are there and which are missing,\n"
		"where every probe would sit, what one hit of it costs, and what the trace lacks\n"
		"without those that have no place. Nothing is attached.\n",
	.tables = { { pick_rows, offsetof(struct doctor_options, pick) }, { doctor_rows, 0 } },
	.after = "Exit status: 0 if it can be traced, 1 if not, 2 for wrong usage.\n",
	.most = 1, .operands = "give one process, container or file",
	.check = doctor_check,
};

/* Opens what the options name, if anything. */
static int open_target(struct doctor *d, const struct doctor_options *o, struct error *err)
{
	struct procfs fs;
	pid_t pid;
	int r = pick_process(&o->pick, &fs, &pid, err);

	if (!r && pid)
		r = process_open(&d->proc, &fs, pid, err);
	d->has_proc = !r && pid;
	if (!r && pid)
		r = memory_begin(&d->proc, NULL, err);
	if (!r && pid)
		r = module_open(&d->proc, &d->bin, &d->plugins, err);
	else if (!r && o->file)
		r = gobin_open(&d->bin, o->file, err);
	if (!r && pid)
		module_find_debug(&d->proc, d->bin, &d->plugins, false);
	else if (!r && o->file)
		gobin_find_debug(d->bin, NULL, false);
	if (!r && d->bin && o->assume_minor)
		gobin_assume_minor(d->bin, o->assume_minor);
	return r;
}

static void look_at_process(struct doctor *d, const struct pick *pick)
{
	_cleanup_free_ char *root = pick_state_root(pick);
	_cleanup_free_ char *label = NULL;
	const struct container *c;
	struct containers all;

	containers_load(&all, root);
	c = containers_of(&all, &d->proc.fs, d->proc.pid);
	label = c ? container_label(c) : NULL;
	doctor_look_at_process(d, label);
	containers_free(&all);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_options o = { .groups = groups_default() };
	struct doctor d = { .proc = PROCESS_CLOSED };
	struct error err = {0};
	int status = command_line_read(&doctor_line, &o, argc, argv);

	if (status)
		return status - 1;
	if (o.file && claims_input_file(o.file, &err))
		return cmd_fail(&err);
	doctor_look_at_machine(&d);
	if (open_target(&d, &o, &err))
		doctor_add(&d, LEVEL_FAIL, "program", "target", "%s", err.text);
	else if (d.bin)
		doctor_look_at_program(&d, o.groups);
	if (d.has_proc)
		look_at_process(&d, &o.pick);
	if (o.json)
		doctor_print_json(&d);
	else
		doctor_print(&d);
	status = doctor_obstacle(&d) ? EXIT_FAIL : EXIT_OK;
	plan_release(&d.plan);
	plugins_free(&d.plugins);
	gobin_free(d.bin);
	process_close(&d.proc);
	vec_free(&d.findings);
	vec_free(&d.probes);
	return status;
}
