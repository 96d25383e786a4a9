// SPDX-License-Identifier: Apache-2.0
/* tracepoints: see tracepoints.h. */
#include "attach/tracepoints.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "proc/kernel_btf.h"
#include "proc/machine.h"
#include "record.h"

static const char *const needed[] = {
	"btf_trace_sched_switch",
	"btf_trace_sched_waking",
	"btf_trace_sched_wakeup_new",
	"btf_trace_sched_migrate_task",
};

static const struct btf_type *type_of(const struct btf *btf, const char *name, uint32_t kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
}

/* The type of a field; NULL: there is none. */
static const struct btf_type *field_of(const struct btf *btf, const char *name, const char *field)
{
	const struct btf_type *t = type_of(btf, name, BTF_KIND_STRUCT);
	unsigned int i;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), field))
			return btf__type_by_id(btf, btf_members(t)[i].type);
	return NULL;
}

static bool is_pointer_to_pointer(const struct btf *btf, const struct btf_type *t)
{
	return t && btf_is_ptr(t) && btf_is_ptr(btf__type_by_id(btf, t->type));
}

/*
 * Counts the arguments of a btf_trace_* function type; its first one is the kernel's own data
 * pointer, which programs do not get.
 */
static unsigned int arguments_of(const struct btf *btf, const char *name)
{
	const struct btf_type *t = type_of(btf, name, BTF_KIND_TYPEDEF);

	while (t && (btf_is_typedef(t) || btf_is_ptr(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1u : 0;
}

static int tracepoints_look(struct tracepoints *ret, const struct btf *btf, struct error *err)
{
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!type_of(btf, needed[i], BTF_KIND_TYPEDEF))
			return error_set(
				err, -ENOTSUP,
				"group linux needs the tracepoint %s, which this kernel does not "
				"have",
				needed[i] + strlen("btf_trace_"));
	*ret = (struct tracepoints){
		.switch_has_state = arguments_of(btf, "btf_trace_sched_switch") > 3,
		.queue_pointers = is_pointer_to_pointer(btf, field_of(btf, "task_group", "cfs_rq")),
		.throttling = field_of(btf, "cfs_rq", "throttle_count"),
		.delays = field_of(btf, "sched_info", "run_delay"),
		.quota_clock = field_of(btf, "cfs_rq", "throttled_clock_self_time"),
	};
	return 0;
}

int tracepoints_find(struct tracepoints *ret, struct error *err)
{
	struct btf *btf;
	int r;

	if (!machine_release_is(5, 10))
		return error_set(err, -ENOTSUP, "group linux needs Linux 5.10 or later");
	/* The kernel checks pointers of these programs by its own BTF: --btf does not help. */
	btf = kernel_btf_own();
	if (!btf && kernel_btf_file())
		return error_set(err, -ENOTSUP,
				 "group linux needs the kernel's own BTF "
				 "(/sys/kernel/btf/vmlinux), which --btf cannot replace");
	if (!btf)
		return error_set(err, -ENOTSUP, "%s", machine_no_btf);
	r = tracepoints_look(ret, btf, err);
	btf__free(btf);
	return r;
}

uint64_t tracepoints_lack(const struct tracepoints *t)
{
	uint64_t lack = t->delays ? 0 : REC_WITHOUT_DELAYS;

	if (!t->throttling)
		return lack | REC_WITHOUT_QUOTAS;
	return lack | (t->quota_clock ? 0 : REC_WITHOUT_QUOTA_CLOCK) |
	       (t->queue_pointers ? 0 : REC_WITHOUT_QUEUES);
}
