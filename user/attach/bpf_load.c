// SPDX-License-Identifier: Apache-2.0
/*
 * bpf_load: see bpf_internal.h. From a plan to loaded programs: those that it needs, their knobs
 * (include/knobs.def), the table of call sites and the rings; and why the kernel refuses them.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/bpf_internal.h"
#include "attach/uprobe_multi.h"
#include "base/arch.h"
#include "base/limits.h"
#include "base/map64.h"
#include "base/vec.h"
#include "gotap_oldkernel.skel.h"
#include "region.h"
#include "proc/kernel_atomics.h"
#include "proc/kernel_btf.h"
#include "proc/machine.h"
#include "proc/privilege.h"
#include "release/release.h"

/*
 * The memory that libbpf needs at least. Where it finds none for the kernel's BTF it fails with
 * ESRCH.
 */
enum { SOME_FILES = 32, SOME_MEMORY = 32 << 20 };

/*
 * Each program of probes.def is in bpf/. One that is built twice (BOTH) is in bpf/old.bpf.c, too.
 */
#define NEW(name)
#define BOTH(name) _Static_assert(offsetof(struct gotap_bpf, progs.name##_old), #name "_old");
#define PROGRAM(name, group, builds) \
	_Static_assert(offsetof(struct gotap_bpf, progs.name), #name); builds(name)
#define PROBE(...)
#include "plan/probes.def"
#undef NEW
#undef BOTH
#undef PROGRAM

/* And each program of bpf/ is in probes.def, or is attached to no place of the runtime. */
#define NEW
#define BOTH + 1
#define PROGRAM(name, group, builds) + 1 builds
enum {
	/* cpu_sample, target_execed, oom_victim, calibrate_hit, calibrate_record, threads_* */
	OF_NO_PLACE = 9,
	ALL_PROGRAMS = OF_NO_PLACE
#include "plan/probes.def"
};
_Static_assert(sizeof(((struct gotap_bpf *)0)->progs) ==
		       ALL_PROGRAMS * sizeof(struct bpf_program *),
	       "a program of bpf/ is not in probes.def");
#undef NEW
#undef BOTH
#undef PROGRAM
#undef PROBE

static int libbpf_quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

static int libbpf_loud(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return vfprintf(stderr, fmt, ap);
}

static bool program_used(const struct plan *plan, enum program p)
{
	size_t i;

	for (i = 0; i < plan->points.len; i++)
		if (vec_at(&plan->points, struct probe_point, i)->program == p)
			return true;
	return false;
}

static bool has_helper(enum bpf_func_id helper)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, helper, NULL) == 1;
}

/* The address in the process of a link-time address; 0, unknown, stays 0. */
static uint64_t bpf_load_moved(const struct bpf_side *b, uint64_t addr)
{
	return addr ? addr + b->proc->bias : 0;
}

/* The target's id in the machine's first PID namespace, if its /proc is of that; else all ones. */
static uint32_t first_tgid(const struct process *proc)
{
	enum { FIRST_PID_NAMESPACE = 0xeffffffc };	/* PROC_PID_INIT_INO of linux/proc_ns.h */
	struct procfs_file_id ns;

	if (procfs_file_id(&proc->fs, 1, "ns/pid", &ns) || ns.ino != FIRST_PID_NAMESPACE)
		return UINT32_MAX;
	return (uint32_t)proc->pid;
}

/* The knobs are constants to C, too: memcpy() sets what an assignment must not. */
#define bpf_load_put(to, value)                                                       \
	do {                                                                          \
		__typeof__(to) value_ = (value);                                      \
		memcpy((void *)&(to), &value_, sizeof(to));                           \
	} while (0)

static void bpf_load_set_knobs(struct bpf_side *b, const struct bpf_opts *opts)
{
	struct gotap_bpf__rodata *k = b->skel->rodata;
	const struct plan *plan = b->plan;

#define KNOB_PLAN(code, type, name, initial) bpf_load_put(k->name, plan->name);
#define KNOB_ADDRESS(code, type, name, initial) \
	bpf_load_put(k->name, bpf_load_moved(b, plan->name));
#define KNOB_LOAD(code, type, name, initial, value) bpf_load_put(k->name, value);
#define KNOB_FIXED(code, type, name, initial)
#include "knobs.def"
	b->skel->bss->threads_tgid = first_tgid(b->proc);
}

static void bpf_load_choose(struct bpf_side *b, struct bpf_program *prog)
{
	bpf_program__set_autoload(prog, true);
	if (b->multi)
		bpf_program__set_expected_attach_type(
			prog, (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
}

static void choose_threads(struct bpf_side *b)
{
	bool wanted = bpf_has_threads(b);

	bpf_program__set_autoload(b->skel->progs.threads_switch, wanted);
	bpf_program__set_autoload(b->skel->progs.threads_wake, wanted);
	bpf_program__set_autoload(b->skel->progs.threads_new, wanted);
	bpf_program__set_autoload(b->skel->progs.threads_move, wanted);
}

static void choose_programs(struct bpf_side *b, const struct bpf_opts *opts)
{
	struct bpf_program *prog;
	enum program p;

	bpf_object__for_each_program(prog, b->skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(b->skel->progs.cpu_sample, opts->cpu_hz > 0);
	bpf_program__set_autoload(b->skel->progs.target_execed, true);
	bpf_program__set_autoload(b->skel->progs.oom_victim, true);
	if (opts->calibration) {
		bpf_load_choose(b, b->skel->progs.calibrate_hit);
		bpf_load_choose(b, b->skel->progs.calibrate_record);
	}
	choose_threads(b);
	bpf_load_choose(b, b->skel->progs.guard);
	for (p = 0; p < PROGRAMS; p++) {
		if (!program_used(b->plan, p))
			continue;
		bpf_load_choose(b, links_program(b->skel->obj, b->plan, p));
	}
}

/* Before Linux 5.11 BPF memory counts against RLIMIT_MEMLOCK. */
static void lift_memlock(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
}

static bool memlock_in_the_way(void)
{
	struct rlimit now;

	return !machine_release_is(5, 11) && !getrlimit(RLIMIT_MEMLOCK, &now) &&
	       now.rlim_cur != RLIM_INFINITY;
}

static int load_error(int e, struct error *err)
{
	unsigned int needs = PRIVILEGE_BPF | PRIVILEGE_PERFMON;
	struct machine m;
	char why[256];

	if (e == -EPERM && !(needs & ~privilege_have()) && memlock_in_the_way())
		return error_set(
			err, e,
			"not allowed to lock memory for BPF, which counts against the limit "
			"(ulimit -l) before Linux 5.11: raise it, or add CAP_SYS_RESOURCE");
	/* -EACCES is also how the verifier refuses a program */
	if (e == -EPERM || (e == -EACCES && needs & ~privilege_have())) {
		privilege_explain(needs | PRIVILEGE_PTRACE, why);
		return error_set(err, e, "not allowed to load BPF programs: %s", why);
	}
	if (limits_explain(e).text[0])
		return error_set(err, e, "cannot load the BPF programs: %s", strerror(-e));
	if (e == -EOVERFLOW)
		return error_set(err, e, "too many calls to tell apart: the program has opened too "
				 "many plugins");
	machine_look(&m);
	if (machine_lacks(&m))
		return error_set(err, -ENOTSUP, "%s", machine_lacks(&m));
	return error_set(err, e,
			 "the kernel refused the BPF programs: %s; gotap needs Linux 5.8 or "
			 "later with CONFIG_BPF_SYSCALL and CONFIG_UPROBES",
			 strerror(-e));
}

/*
 * Takes the place of the map that libbpf would make: its size is ours to
 * explain, and it is made with the other maps, before the load.
 */
static int make_rings(struct bpf_side *b, struct error *err)
{
	int fd = ring_set_make(&b->rings, err), r;

	if (fd < 0)
		return fd;
	r = bpf_map__reuse_fd(b->skel->maps.ring_chunks, fd);
	close(fd);
	return r;
}

static int bpf_load_open_rings(struct bpf_side *b, struct error *err)
{
	return ring_set_open(&b->rings, bpf_map__fd(b->skel->maps.ring_chunks),
			     bpf_map__fd(b->skel->maps.ring_states), !b->old_kernel, err);
}

/* Every key in a slot of its own? */
static bool fill_with(const struct bpf_side *b, struct site_slot *slots, uint64_t multiplier)
{
	size_t i;

	memset(slots, 0, SITE_SLOTS * sizeof(*slots));
	for (i = 0; i < b->plan->sites.len; i++) {
		const struct site_row *row = vec_at(&b->plan->sites, struct site_row, i);
		uint64_t key = SITE_KEY(row->pc + b->proc->bias, row->old, row->new_);
		struct site_slot *slot = &slots[SITE_SLOT(key, multiplier)];

		if (slot->key && slot->key != key)
			return false;
		slot->key = key;
		slot->class = row->class;
	}
	return true;
}

/* Some 80 keys in 1,024 slots: one multiplier in about 20 has no collision. */
static int fill_sites(struct bpf_side *b)
{
	struct gotap_bpf__rodata *k = b->skel->rodata;
	uint64_t i, multiplier;

	for (i = 1; i < 100000; i++) {
		multiplier = hash64(i) | 1;
		if (!fill_with(b, (struct site_slot *)k->site_table, multiplier))
			continue;
		k->site_multiplier = multiplier;
		return 0;
	}
	return -EOVERFLOW;
}

_Static_assert(sizeof(struct gotap_bpf__rodata) == sizeof(struct gotap_oldkernel_bpf__rodata) &&
	       sizeof(struct gotap_bpf__bss) == sizeof(struct gotap_oldkernel_bpf__bss),
	       "both objects have the same variables");

/*
 * Two objects of the same programs, maps and knobs, so one skeleton serves
 * both: a kernel before 5.17 has no bpf_loop, and gets the other one's code.
 */
static int open_object(struct gotap_bpf **ret, bool old_kernel)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = kernel_btf_file());
	struct gotap_bpf *skel = xcalloc(1, sizeof(*skel));
	int r = gotap_bpf__create_skeleton(skel);

	if (!r && old_kernel)
		skel->skeleton->data =
			(void *)gotap_oldkernel_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!r)
		r = bpf_object__open_skeleton(skel->skeleton, &opts);
	if (!r) {
		*ret = skel;
		return 0;
	}
	gotap_bpf__destroy(skel);
	return r;
}

static size_t bpf_load_region_points(const struct plan *plan)
{
	size_t i, n = 0;

	for (i = 0; i < plan->points.len; i++)
		n += vec_at(&plan->points, struct probe_point, i)->region != 0;
	return n;
}

static void fill_values(struct region_point *to, const struct func_values *v, bool args)
{
	to->nvalues = args ? v->nargs : v->nresults;
	memcpy(to->values, args ? v->args : v->results, sizeof(to->values));
}

/* What the probes of --region must know of the place that they sit at. */
static int fill_regions(struct bpf_side *b)
{
	size_t i;
	int r = 0;

	for (i = 0; i < b->plan->points.len && !r; i++) {
		const struct probe_point *pt = vec_at(&b->plan->points, struct probe_point, i);
		uint64_t addr = pt->addr + b->proc->bias;
		const struct plan_region *region;
		struct region_point value = {0};

		if (!pt->region)
			continue;
		region = vec_at(&b->plan->regions, struct plan_region, pt->region - 1);
		value.name = region->name_at + b->proc->bias;
		value.len = (unsigned int)strlen(region->name);
		value.number = (uint8_t)(pt->region - 1);
		value.drop_taken = region->drop_taken;
		fill_values(&value, &region->values, pt->program == PROGRAM_region_begin);
		r = bpf_map_update_elem(bpf_map__fd(b->skel->maps.regions), &addr, &value, BPF_ANY);
	}
	return r;
}

/*
 * Each CPU sets 128 free entries of an LRU map aside (LOCAL_FREE_TARGET of Linux), which no other
 * CPU can have: without room for them, the map would evict live ones long before it is full.
 */
static void add_room_of_cpus(const struct bpf_side *b, uint32_t cpus)
{
	enum { SET_ASIDE = 128 };
	struct bpf_map *const maps[] = {
		b->skel->maps.servings, b->skel->maps.callings, b->skel->maps.rpcs,
	};
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		bpf_map__set_max_entries(maps[i], bpf_map__max_entries(maps[i]) + SET_ASIDE * cpus);
}

/* Returns -errno; where @err says nothing, load_error() explains it. */
static int load_as(struct bpf_side *b, const struct bpf_opts *opts, bool multi, struct error *err)
{
	int r, cpus = libbpf_num_possible_cpus();

	b->old_kernel = !has_helper(BPF_FUNC_loop);
	b->multi = multi;
	r = open_object(&b->skel, b->old_kernel);
	if (r)
		return r;
	bpf_load_set_knobs(b, opts);
	choose_programs(b, opts);
	if (cpus > 0) {
		bpf_map__set_max_entries(b->skel->maps.pieces, (uint32_t)cpus);
		add_room_of_cpus(b, (uint32_t)cpus);
	}
	if (b->plan->regions.len)
		bpf_map__set_max_entries(b->skel->maps.regions,
					 (uint32_t)bpf_load_region_points(b->plan));
	r = fill_sites(b);
	if (!r)
		r = make_rings(b, err);
	if (!r)
		r = gotap_bpf__load(b->skel);
	if (!r)
		r = fill_regions(b);
	return r ? r : bpf_load_open_rings(b, err);
}

static bool uses_multi(const struct bpf_opts *opts)
{
	return opts->method == ATTACH_MULTI ||
	       (opts->method == ATTACH_AUTO && uprobe_multi_supported());
}

int bpf_load_programs(struct bpf_side *b, const struct bpf_opts *opts, struct error *err)
{
	int r = limits_leave(SOME_FILES, SOME_MEMORY);

	if (r)
		return error_set(err, r, "cannot load the BPF programs: %s", strerror(-r));
	libbpf_set_print(opts->verbose ? libbpf_loud : libbpf_quiet);
	lift_memlock();
	err->code = 0;
	if (opts->every_switch && !(privilege_have() & PRIVILEGE_ADMIN))
		return error_set(err, -EPERM,
				 "--system shows what other users' programs do: run gotap as root");
	r = kernel_btf_check(err);
	if (!r)
		r = kernel_atomics_check(err);
	if (!r && bpf_has_threads(b))
		r = tracepoints_find(&b->tracepoints, err);
	if (!r)
		r = ring_set_plan(&b->rings, opts->ring_size, err);
	if (!r && b->plan->for_inline)
		inline_rings_plan(&b->in_target, &b->rings, b->proc,
				  b->plan->goid_before_status);
	if (!r && bpf_has_threads(b))
		ring_set_plan_threads(&b->rings);
	if (!r)
		r = load_as(b, opts, uses_multi(opts), err);
	return r && !err->code ? load_error(r, err) : r;
}
