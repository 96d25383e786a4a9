// SPDX-License-Identifier: Apache-2.0
/* event: see gotap/event.h. Its numbers are those of include/tracev2.def. */
#define _GNU_SOURCE
#include "gotap/event.h"

#include <errno.h>

#include "api/api.h"
#include "gotap/raw.h"
#include "read/view.h"
#include "tracev2.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

#define EVENT(ours, name) SAME(ours, EV_##name);
#include "api/event.def"
#undef EVENT
/* Each event of tracev2.def has a row in event.def. */
enum {
#define EVENT(ours, name) HAS_PUBLIC_##name,
#include "api/event.def"
#undef EVENT
#define EV(number, name, version, class, args, stacks, strings) \
	PUBLIC_OF_##name = HAS_PUBLIC_##name,
#include "tracev2.def"
#undef EV
};

SAME(GOTAP_SYNC, TRACE_SYNC);
SAME(GOTAP_MAX_ARGS, TRACEV2_MAX_ARGS);
SAME(GOTAP_STATUS_GO_RUNNABLE, G_RUNNABLE);
SAME(GOTAP_STATUS_GO_RUNNING, G_RUNNING);
SAME(GOTAP_STATUS_GO_SYSCALL, G_SYSCALL);
SAME(GOTAP_STATUS_GO_WAITING, G_WAITING);
SAME(GOTAP_STATUS_PROC_RUNNING, P_RUNNING);
SAME(GOTAP_STATUS_PROC_IDLE, P_IDLE);
SAME(GOTAP_STATUS_PROC_SYSCALL, P_SYSCALL);
SAME(GOTAP_STATUS_PROC_SYSCALL_ABANDONED, P_SYSCALL_ABANDONED);
SAME(GOTAP_STATE_GO_NOT_EXIST, API_GO_STATE(GO_NOT_EXIST));
SAME(GOTAP_STATE_GO_RUNNABLE, API_GO_STATE(GO_RUNNABLE));
SAME(GOTAP_STATE_GO_RUNNING, API_GO_STATE(GO_RUNNING));
SAME(GOTAP_STATE_GO_WAITING, API_GO_STATE(GO_WAITING));
SAME(GOTAP_STATE_GO_SYSCALL, API_GO_STATE(GO_SYSCALL));
SAME(GOTAP_STATE_PROC_NOT_EXIST, API_PROC_STATE(PROC_NOT_EXIST));
SAME(GOTAP_STATE_PROC_RUNNING, API_PROC_STATE(PROC_RUNNING));
SAME(GOTAP_STATE_PROC_IDLE, API_PROC_STATE(PROC_IDLE));
SAME(GOTAP_IS_SYNC, VIEW_SYNC);
SAME(GOTAP_IS_METRIC, VIEW_METRIC);
SAME(GOTAP_IS_LABEL, VIEW_LABEL);
SAME(GOTAP_IS_STACK_SAMPLE, VIEW_STACK_SAMPLE);
SAME(GOTAP_IS_RANGE_BEGIN, VIEW_RANGE_BEGIN);
SAME(GOTAP_IS_RANGE_ACTIVE, VIEW_RANGE_ACTIVE);
SAME(GOTAP_IS_RANGE_END, VIEW_RANGE_END);
SAME(GOTAP_IS_TASK_BEGIN, VIEW_TASK_BEGIN);
SAME(GOTAP_IS_TASK_END, VIEW_TASK_END);
SAME(GOTAP_IS_REGION_BEGIN, VIEW_REGION_BEGIN);
SAME(GOTAP_IS_REGION_END, VIEW_REGION_END);
SAME(GOTAP_IS_LOG, VIEW_LOG);
SAME(GOTAP_IS_TRANSITION, VIEW_STATE_TRANSITION);
SAME(GOTAP_IS_EXPERIMENTAL, VIEW_EXPERIMENTAL);

int gotap_api_version(void)
{
	return GOTAP_API_VERSION;
}

/* --- kinds --- */

enum { FRAMING, STRUCTURAL, TIMED, EXPERIMENT };

static const struct kind {
	const char *name;
	const char *args;
	uint8_t header, class;
	uint8_t stacks, strings;	/* bit i: argument i is the id of a stack, of a string */
} kinds[256] = {
#define EV(number, name, version, class, args, stacks, strings) \
	[number] = { #name, args, version, class, stacks, strings },
#include "tracev2.def"
#undef EV
};

/*
 * True if a caller may write this event: a timed event of a thread. A clock snapshot has a time,
 * too, but the writer makes one in each generation.
 */
static bool api_event_is_written(unsigned int kind)
{
	return kind < 256 && kinds[kind].class >= TIMED && kind != EV_ClockSnapshot;
}

static bool has_time(unsigned int kind)
{
	return kinds[kind].class >= TIMED || kind == EV_ClockSnapshot;
}

const char *gotap_kind_name(unsigned int kind)
{
	return view_event_name(kind);
}

int gotap_kind_named(const char *name, size_t len)
{
	int kind = view_event_named(name, len);

	if (kind >= 0)
		return kind;
	for (kind = 0; kind < 256; kind++)
		if (kinds[kind].name && strlen(kinds[kind].name) == len &&
		    !memcmp(kinds[kind].name, name, len))
			return kind;
	return -EINVAL;
}

/*
 * A timed event's first argument is dt, so the number of the other arguments is that of the spaces.
 */
int gotap_kind_nargs(unsigned int kind)
{
	const char *p;
	int n = 0;

	if (!api_event_is_written(kind))
		return -EINVAL;
	for (p = kinds[kind].args; *p; p++)
		n += *p == ' ';
	return n;
}

/* Types by the part of an argument's name after the last underscore, or by the whole name. */
static const struct {
	const char *suffix;
	enum gotap_arg_type type;
} arg_types[] = {
	{ "value", GOTAP_ARG_VALUE },
	{ "seq", GOTAP_ARG_SEQ },
	{ "g", GOTAP_ARG_G },
	{ "p", GOTAP_ARG_P },
	{ "m", GOTAP_ARG_M },
	{ "task", GOTAP_ARG_TASK },
	{ "string", GOTAP_ARG_STRING },
	{ "stack", GOTAP_ARG_STACK },
	{ "gstatus", GOTAP_ARG_GO_STATUS },
	{ "pstatus", GOTAP_ARG_PROC_STATUS },
	/* names in formats before Go 1.22, which have no types */
	{ "thread", GOTAP_ARG_M },
	{ "parent", GOTAP_ARG_TASK },
	{ "name", GOTAP_ARG_STRING },
	{ "label", GOTAP_ARG_STRING },
	{ "key", GOTAP_ARG_STRING },
	{ "procs", GOTAP_ARG_VALUE },
	{ "bytes", GOTAP_ARG_VALUE },
	{ "swept", GOTAP_ARG_VALUE },
	{ "reclaimed", GOTAP_ARG_VALUE },
};

static uint32_t arg_type(struct gotap_text name)
{
	const char *at = memrchr(name.s, '_', name.len);
	size_t i, skip = at ? (size_t)(at + 1 - name.s) : 0;

	for (i = 0; i < sizeof(arg_types) / sizeof(arg_types[0]); i++)
		if (strlen(arg_types[i].suffix) == name.len - skip &&
		    !memcmp(arg_types[i].suffix, name.s + skip, name.len - skip))
			return arg_types[i].type;
	return GOTAP_ARG_RAW;
}

void api_add_arg(struct gotap_kind_spec *spec, struct gotap_text name)
{
	struct gotap_arg_spec *arg = &spec->args[spec->nargs++];

	arg->name = name;
	arg->type = arg_type(name);
	arg->is_new = (name.len > 4 && !memcmp(name.s, "new_", 4)) ||
		      (name.len > 6 && !memcmp(name.s, "start_", 6));
}

/* The begin of each range: StartEv of internal/trace/tracev2/events.go of Go 1.27. */
static const uint8_t starts[256] = {
	[EV_GoSyscallEnd] = EV_GoSyscallBegin,
	[EV_GoSyscallEndBlocked] = EV_GoSyscallBegin,
	[EV_STWEnd] = EV_STWBegin,
	[EV_GCActive] = EV_GCBegin,
	[EV_GCEnd] = EV_GCBegin,
	[EV_GCSweepActive] = EV_GCSweepBegin,
	[EV_GCSweepEnd] = EV_GCSweepBegin,
	[EV_GCMarkAssistActive] = EV_GCMarkAssistBegin,
	[EV_GCMarkAssistEnd] = EV_GCMarkAssistBegin,
	[EV_UserRegionEnd] = EV_UserRegionBegin,
};

int gotap_kind_spec(unsigned int kind, struct gotap_kind_spec *to, size_t size)
{
	const struct kind *k = &kinds[kind % 256];
	struct gotap_kind_spec spec = { .name = k->name, .kind = kind };
	const char *p;
	size_t len;

	if (kind >= 256 || !k->name)
		return -EINVAL;
	spec.header = k->header;
	spec.category = view_specs[kind].kind;
	spec.experiment = k->class == EXPERIMENT ? GOTAP_ALLOC_FREE : GOTAP_NO_EXPERIMENT;
	spec.has_time = has_time(kind);
	spec.has_data = raw_has_data(kind);
	spec.has_frames = kind == EV_Stack;
	spec.is_written = api_event_is_written(kind);
	spec.start = starts[kind];
	for (p = k->args + (has_time(kind) ? strcspn(k->args, " ") : 0); *p; p += len) {
		p += *p == ' ';
		len = strcspn(p, " ");
		api_add_arg(&spec, (struct gotap_text){ p, len });
	}
	api_give(to, size, &spec, sizeof(spec));
	return 0;
}

const char *gotap_category_name(unsigned int category)
{
	return view_kind_name(category);
}

const char *gotap_experiment_name(unsigned int experiment)
{
	return view_experiment_name(experiment);
}

/* --- states --- */

const char *gotap_state_name(unsigned int state)
{
	if (state - GOTAP_STATE_GO_UNDETERMINED < GOTAP_GO_STATES)
		return go_state_name((uint8_t)(state - GOTAP_STATE_GO_UNDETERMINED));
	if (state - GOTAP_STATE_PROC_UNDETERMINED < GOTAP_PROC_STATES)
		return proc_state_name((uint8_t)(state - GOTAP_STATE_PROC_UNDETERMINED));
	return NULL;
}

const char *gotap_go_status_name(unsigned int status)
{
	static const char *const names[] = {
		NULL, [G_RUNNABLE] = "Runnable", [G_RUNNING] = "Running", [G_SYSCALL] = "Syscall",
		[G_WAITING] = "Waiting",
	};

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : NULL;
}

const char *gotap_proc_status_name(unsigned int status)
{
	static const char *const names[] = {
		NULL, [P_RUNNING] = "Running", [P_IDLE] = "Idle", [P_SYSCALL] = "Syscall",
		[P_SYSCALL_ABANDONED] = "SyscallAbandoned",
	};

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : NULL;
}

int gotap_state_status(unsigned int state)
{
	switch (state) {
	case GOTAP_STATE_GO_RUNNABLE:
		return GOTAP_STATUS_GO_RUNNABLE;
	case GOTAP_STATE_GO_RUNNING:
		return GOTAP_STATUS_GO_RUNNING;
	case GOTAP_STATE_GO_WAITING:
		return GOTAP_STATUS_GO_WAITING;
	case GOTAP_STATE_GO_SYSCALL:
		return GOTAP_STATUS_GO_SYSCALL;
	case GOTAP_STATE_PROC_RUNNING:
		return GOTAP_STATUS_PROC_RUNNING;
	case GOTAP_STATE_PROC_IDLE:
		return GOTAP_STATUS_PROC_IDLE;
	default:
		return -EINVAL;
	}
}
