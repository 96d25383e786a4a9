// SPDX-License-Identifier: Apache-2.0
/*
 * follow_options: which options of `gotap record` go with --follow and --name, and which go to the
 * recorders.
 */
#include <inttypes.h>
#include <string.h>

#include "base/name_pattern.h"
#include "cmd/record/deferred.h"
#include "cmd/record/options.h"

/* Options of cmd/follow itself. */
static const char *const own[] = {
	"pid", "container", "proc", "name", "wait", "follow", "follow-max", "held-by",
	"tell-begin", "output",
	"program", "duration", "json", "quiet", "detach",
};

static bool follow_options_is_own(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

void record_options_pass_on(struct record_options *o, const struct option_row *row, const char *arg)
{
	if (!follow_options_is_own(row->name))
		*(char **)vec_push(&o->words, sizeof(char *)) =
			arg ? xasprintf("--%s=%s", row->name, arg) : xasprintf("--%s", row->name);
}

/* Is -d the time of each recording, not of all together? */
static bool is_each(const struct record_options *o)
{
	return (!o->follow && o->pids.len < 2) || o->wait;
}

enum { PIDS_MOST = 64 };

/* A process that two -p name; 0: none. */
static pid_t pid_twice(const struct record_options *o)
{
	const pid_t *pids = o->pids.data;
	size_t i, k;

	for (i = 0; i < o->pids.len; i++)
		for (k = 0; k < i; k++)
			if (pids[i] == pids[k])
				return pids[i];
	return 0;
}

static const char *wrong_together(const struct record_options *o)
{
	if (o->wait && !o->name)
		return "--wait is for --name";
	if (o->most && !o->follow && !o->wait)
		return "--follow-max is for --follow and --wait";
	if (o->pids.len > PIDS_MOST)
		return "too many -p: 64 at a time";
	if (pid_twice(o))
		return option_wrong("-p %d is given twice", pid_twice(o));
	if (!record_follows(o))
		return NULL;
	if (o->name && !o->follow && (o->pick.pid || o->pick.container || o->command))
		return "--name goes with -p, --container or a "
		       "command only if --follow is given, too";
	if (o->spool || o->perfetto || o->report)
		return "--spool, --perfetto and --report are for one process, not for --follow, "
		       "--name and several -p";
	if (o->pick.proc_dir)
		return "--proc is not for --follow, --name and several -p: they need the "
		       "machine's own /proc";
	if (o->flight.socket)
		return "--socket is for a recording of one process";
	if (o->assume_minor && (o->follow || o->pids.len > 1))
		return "--assume-go is for one program";
	return NULL;
}

static const char *check_output(struct record_options *o)
{
	struct error err;

	if (!o->follow && !o->wait && o->pids.len < 2)
		return NULL;
	if (!o->output)
		o->output = o->flight.time ? "gotap-%p-%t-%n.trace" : "trace.%n.%e.out";
	if (!o->follow && !o->wait && !o->flight.time && strcmp(o->output, "-") &&
	    !strchr(o->output, '%'))
		o->output = xasprintf("%s.%%n.%%e.out", o->output);	/* of several -p */
	if (name_pattern_check(o->output, &err))
		return option_wrong("%s", err.text);
	if (o->flight.time)
		return name_pattern_has(o->output, 'p') ? NULL :
		       "of several processes in flight -o needs %p, "
		       "the process id, as in 'DIR/%p-%t-%n.trace'";
	if (!name_pattern_has(o->output, 'n'))
		return "several processes have several traces: give -o a name with "
		       "%n, which is another number for each, like trace.%n.%e.out";
	return NULL;
}

const char *record_options_check_follow(struct record_options *o)
{
	const char *wrong = wrong_together(o);

	if (wrong || !record_follows(o))
		return wrong;
	if (!o->most)
		o->most = o->follow || o->wait ? 8 : 1;
	if (o->most < o->pids.len)
		o->most = o->pids.len;
	if (o->defer && !o->defer_max)	/* all of them together keep no more than one would */
		*(char **)vec_push(&o->words, sizeof(char *)) =
			xasprintf("--defer-max=%" PRIu64, deferred_recorder_max(o->most));
	if (o->seconds > 0 && is_each(o)) {
		*(char **)vec_push(&o->words, sizeof(char *)) =
			xasprintf("--duration=%.9f", o->seconds);
		o->seconds = 0;
	}
	return check_output(o);
}
