// SPDX-License-Identifier: Apache-2.0
/* bpf: see bpf.h. */
#define _GNU_SOURCE
#include "capture/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/prober.h"
#include "capture/ring_set.h"
#include "capture/uprobe_multi.h"
#include "gotap.skel.h"
#include "gotap_oldkernel.skel.h"
#include "live/text_map.h"
#include "proc/machine.h"
#include "proc/privilege.h"

/* The memory that libbpf needs at least. Where it finds none for the kernel's BTF it fails with ESRCH. */
enum { SOME_FILES = 32, SOME_MEMORY = 32 << 20 };

/* A thread of gotap's that got no CPU for so long on a busy machine would only end the recording. */
enum { PROBER_PATIENCE_MS = 5000 };

struct bpf_side {
	const struct plan *plan;
	const struct process *proc;
	struct gotap_bpf *skel;
	bool multi;
	bool old_kernel;		/* gets the object for kernels before 5.17 */
	struct ring_set rings;
	struct prober prober;
	bool mended, left_breakpoints;	/* after the prober was killed */
	struct bpf_link *exec_watch;	/* NULL: none */
};

/* The descriptors that the prober holds. */
struct held {
	struct links links;
	struct gotap_bpf__bss *bss;
};

/* What the prober is asked to do; its parts are, */
enum {
	PROBER_ATTACH, PROBER_DETACH,	/* enum bpf_parts */
	PROBER_CALIBRATE,		/* enum calibration */
	PROBER_PRIVILEGES,		/* those that it keeps */
};

/* Each program of probes.def is in bpf/, and those that are built twice are in bpf/old.bpf.c too. */
#define NEW(name)
#define BOTH(name) _Static_assert(offsetof(struct gotap_bpf, progs.name##_old), #name "_old");
#define PROGRAM(name, group, builds) \
	_Static_assert(offsetof(struct gotap_bpf, progs.name), #name); builds(name)
#define PROBE(...)
#include "plan/probes.def"
#undef NEW
#undef BOTH
#undef PROGRAM

/* And each program of bpf/ is in probes.def, or is one of those that sit at no place of the runtime. */
#define NEW
#define BOTH + 1
#define PROGRAM(name, group, builds) + 1 builds
enum {
	OF_NO_PLACE = 4,	/* cpu_sample, target_execed, calibrate_hit, calibrate_record */
	ALL_PROGRAMS = OF_NO_PLACE
#include "plan/probes.def"
};
_Static_assert(sizeof(((struct gotap_bpf *)0)->progs) == ALL_PROGRAMS * sizeof(struct bpf_program *),
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

static struct text_range text_of(const struct bpf_side *b)
{
	uint64_t bias = b->proc->bias;

	return (struct text_range){ b->plan->text_start + bias, b->plan->text_end + bias };
}

/* Where a link-time address is in the process; 0 stays what it is: unknown. */
static uint64_t moved(const struct bpf_side *b, uint64_t addr)
{
	return addr ? addr + b->proc->bias : 0;
}

static void set_knobs(struct bpf_side *b, const struct bpf_opts *opts)
{
	struct gotap_bpf__rodata *k = b->skel->rodata;
	const struct plan *plan = b->plan;

	memcpy((void *)&k->off, &plan->offsets, sizeof(plan->offsets));
	k->go_abi = plan->abi;
	k->target_tgid = (uint32_t)b->proc->bpf_tgid;
	k->target_ns_dev = b->proc->bpf_ns.dev;
	k->target_ns_ino = b->proc->bpf_ns.ino;
	k->stack_depth = opts->stack_depth;
	k->at_status_calls = plan->at_status_calls;
	k->have_task_regs = has_helper(BPF_FUNC_task_pt_regs);
	k->goid_before_status = plan->goid_before_status;
	k->syscall_bp = plan->syscall_bp;
	k->ready_skip_slot = plan->ready_skip_slot;
	k->exitsyscall_p_reg = plan->exitsyscall_p_reg;
	if (plan->heap_live_reg >= 0)
		k->heap_live_reg = (uint32_t)plan->heap_live_reg;
	k->heap_live_at = moved(b, plan->heap_live_at);
	k->heap_goal_at = moved(b, plan->heap_goal_at);
	memcpy((void *)&k->gstack_lo, &plan->gstack_lo, sizeof(plan->gstack_lo));
	memcpy((void *)&k->gstack_size, &plan->gstack_size, sizeof(plan->gstack_size));
	memcpy((void *)&k->object_addr, &plan->object, sizeof(plan->object));
	memcpy((void *)&k->object_size, &plan->object_size, sizeof(plan->object_size));
	memcpy((void *)&k->object_type, &plan->object_type, sizeof(plan->object_type));
	k->object_min = opts->object_min;
	k->types_start = moved(b, plan->types_start);
	k->types_end = moved(b, plan->types_end);
	k->systemstack_return = moved(b, plan->systemstack_return);
	k->systemstack_pc = moved(b, plan->systemstack_pc);
	k->text_start = text_of(b).start;
	k->text_end = text_of(b).end;
}

static void choose(struct bpf_side *b, struct bpf_program *prog)
{
	bpf_program__set_autoload(prog, true);
	if (b->multi)
		bpf_program__set_expected_attach_type(
			prog, (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
}

static void choose_programs(struct bpf_side *b, const struct bpf_opts *opts)
{
	struct bpf_program *prog;
	enum program p;

	bpf_object__for_each_program(prog, b->skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(b->skel->progs.cpu_sample, opts->cpu_hz > 0);
	bpf_program__set_autoload(b->skel->progs.target_execed, true);
	if (budget_limits(opts->budget)) {
		choose(b, b->skel->progs.calibrate_hit);
		choose(b, b->skel->progs.calibrate_record);
	}
	for (p = 0; p < PROGRAMS; p++) {
		if (!program_used(b->plan, p))
			continue;
		choose(b, links_program(b->skel->obj, b->plan, p));
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
		return error_set(err, e, "not allowed to lock memory for BPF, which counts against the limit "
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
	return error_set(err, e, "the kernel refused the BPF programs: %s; gotap needs Linux 5.8 or "
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

static int open_rings(struct bpf_side *b, struct error *err)
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
	struct gotap_bpf *skel = xcalloc(1, sizeof(*skel));
	int r = gotap_bpf__create_skeleton(skel);

	if (!r && old_kernel)
		skel->skeleton->data = (void *)gotap_oldkernel_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!r)
		r = bpf_object__open_skeleton(skel->skeleton, NULL);
	if (!r) {
		*ret = skel;
		return 0;
	}
	gotap_bpf__destroy(skel);
	return r;
}

/* Returns -errno; where @err says nothing, load_error() explains it. */
static int load_as(struct bpf_side *b, const struct bpf_opts *opts, bool multi, struct error *err)
{
	int r;

	b->old_kernel = !has_helper(BPF_FUNC_loop);
	b->multi = multi;
	r = open_object(&b->skel, b->old_kernel);
	if (r)
		return r;
	set_knobs(b, opts);
	choose_programs(b, opts);
	if (libbpf_num_possible_cpus() > 0)
		bpf_map__set_max_entries(b->skel->maps.pieces, (uint32_t)libbpf_num_possible_cpus());
	r = fill_sites(b);
	if (!r)
		r = make_rings(b, err);
	if (!r)
		r = gotap_bpf__load(b->skel);
	return r ? r : open_rings(b, err);
}

/* --- the prober --- */

/* perf_event_open() of a uprobe asks for CAP_SYS_ADMIN, as at the start; a link for none. */
static unsigned int privileges_to_attach(const struct bpf_side *b)
{
	return b->multi ? 0 : PRIVILEGE_ADMIN | PRIVILEGE_PERFMON | PRIVILEGE_BPF;
}

static const char *const calibration_programs[] = {
	[CALIBRATE_HIT] = "calibrate_hit", [CALIBRATE_RECORD] = "calibrate_record",
};

static int serve(void *ctx, const struct prober_request *rq, struct error *err)
{
	struct held *held = ctx;

	switch (rq->what) {
	case PROBER_ATTACH:
		return links_attach(&held->links, rq->parts, err);
	case PROBER_DETACH:
		links_detach(&held->links, rq->parts);
		return 0;
	case PROBER_CALIBRATE:
		return links_attach_gotap(&held->links, calibration_programs[rq->parts], rq->offset, err);
	case PROBER_PRIVILEGES:
		return privilege_keep(rq->parts, err);
	}
	return error_set(err, -EINVAL, "unknown request %u", rq->what);
}

static void deactivate(struct gotap_bpf__bss *bss)
{
	__atomic_store_n(&bss->active, 0, __ATOMIC_SEQ_CST);
}

static void serve_no_more(void *ctx)
{
	struct held *held = ctx;

	deactivate(held->bss);
	links_detach(&held->links, BPF_ALL);
}

static bool has_probes(void *ctx)
{
	return links_any(&((struct held *)ctx)->links);
}

static void keep_fd(struct vec *keep, int fd)
{
	if (fd >= 0)
		*(int *)vec_push(keep, sizeof(int)) = fd;
}

/* The programs, and the files that they go into. */
static void list_descriptors(const struct bpf_side *b, bool verbose, struct vec *ret)
{
	struct bpf_program *prog;
	size_t i;

	bpf_object__for_each_program(prog, b->skel->obj)
		keep_fd(ret, bpf_program__fd(prog));
	keep_fd(ret, b->proc->exe_file);
	keep_fd(ret, b->proc->library_file);
	for (i = 0; i < b->plan->points.len; i++)
		keep_fd(ret, process_file_of_path(vec_at(&b->plan->points, struct probe_point, i)->file));
	if (verbose)
		keep_fd(ret, STDERR_FILENO);
}

static int start_prober(struct prober *ret, struct bpf_side *b, bool verbose, struct error *err)
{
	struct held held = {
		.links = { .plan = b->plan, .proc = b->proc, .object = b->skel->obj,
			   .multi = b->multi, .gotap = getpid() },
		.bss = b->skel->bss,
	};
	struct prober_job job = { .serve = serve, .end = serve_no_more, .has_probes = has_probes,
				  .ctx = &held, .patience_ms = PROBER_PATIENCE_MS };
	int r;

	list_descriptors(b, verbose, &job.keep);
	r = prober_start(ret, &job, err);
	vec_free(&job.keep);
	return r;
}

int bpf_load(struct bpf_side **ret, const struct plan *plan, const struct process *proc,
	     const struct bpf_opts *opts, struct error *err)
{
	struct bpf_side *b = xcalloc(1, sizeof(*b));
	int r;

	r = limits_leave(SOME_FILES, SOME_MEMORY);
	if (r) {
		free(b);
		return error_set(err, r, "cannot load the BPF programs: %s", strerror(-r));
	}
	b->plan = plan;
	b->proc = proc;
	libbpf_set_print(opts->verbose ? libbpf_loud : libbpf_quiet);
	lift_memlock();
	err->code = 0;
	r = ring_set_plan(&b->rings, opts->ring_size, err);
	if (!r)
		r = load_as(b, opts, opts->method == ATTACH_MULTI ||
				     (opts->method == ATTACH_AUTO && uprobe_multi_supported()), err);
	if (r && !err->code)
		r = load_error(r, err);
	if (!r)
		r = start_prober(&b->prober, b, opts->verbose, err);
	if (r) {
		bpf_free(b);
		return r;
	}
	*ret = b;
	return 0;
}

bool bpf_text_moved(const struct bpf_side *b)
{
	struct text_range text = text_of(b);

	return text_moved(b->proc, &text);
}

/* Probes go into the file that was parsed; but is it still what the process runs? */
static int check_identity(const struct bpf_side *b, struct error *err)
{
	struct text_range text = text_of(b);

	if (!process_execed(b->proc))
		return text_check(b->proc, &text, err);
	return error_set(err, -ESTALE, "process %d has exec'ed another program while it was attached to: "
			 "record that one, with -p", b->proc->pid);
}

int bpf_attach(struct bpf_side *b, unsigned int parts, struct error *err)
{
	struct prober_request rq = { .what = PROBER_ATTACH, .parts = parts };
	int r = check_identity(b, err);

	if (!r)
		r = prober_ask(&b->prober, &rq, err);
	if (r)
		return r;
	r = check_identity(b, err);
	if (r)
		bpf_detach(b, parts);
	return r;
}

bool bpf_probe_self(struct bpf_side *b, enum calibration which, uint64_t file_offset)
{
	struct prober_request rq = { .what = PROBER_CALIBRATE, .parts = which, .offset = file_offset };

	return !prober_ask(&b->prober, &rq, NULL);
}

int bpf_prober_keeps(struct bpf_side *b, struct error *err)
{
	struct prober_request rq = { .what = PROBER_PRIVILEGES, .parts = privileges_to_attach(b) };

	return prober_ask(&b->prober, &rq, err);
}

bool bpf_prober_lives(const struct bpf_side *b)
{
	return prober_lives(&b->prober);
}

bool bpf_prober_gave_up(const struct bpf_side *b)
{
	return prober_gave_up(&b->prober);
}

bool bpf_left_breakpoints(const struct bpf_side *b)
{
	return b->left_breakpoints;
}

void bpf_beat(struct bpf_side *b)
{
	prober_beat(&b->prober);
}

void bpf_activate(struct bpf_side *b)
{
	__atomic_store_n(&b->skel->bss->active, 1, __ATOMIC_SEQ_CST);
}

uint64_t bpf_names_lost(const struct bpf_side *b)
{
	return __atomic_load_n(&b->skel->bss->names_lost, __ATOMIC_SEQ_CST);
}

const uint64_t *bpf_texts_missing(const struct bpf_side *b)
{
	return (const uint64_t *)&b->skel->bss->texts_missing;
}

void bpf_names_known(struct bpf_side *b, uint64_t now, uint64_t lost)
{
	__atomic_store_n(&b->skel->bss->names_lost_before, lost, __ATOMIC_SEQ_CST);
	__atomic_store_n(&b->skel->data->names_from, now, __ATOMIC_SEQ_CST);
}

void bpf_names_unknown(struct bpf_side *b)
{
	__atomic_store_n(&b->skel->data->names_from, UINT64_MAX, __ATOMIC_SEQ_CST);
}

void bpf_set_stacks(struct bpf_side *b, unsigned int stacks)
{
	__atomic_store_n(&b->skel->bss->stacks, stacks, __ATOMIC_SEQ_CST);
}

void bpf_deactivate(struct bpf_side *b)
{
	deactivate(b->skel->bss);
}

/*
 * A prober that was killed may have left breakpoints behind. They go with the next probes at the same
 * places. Those come from a prober of its own, because the recording has none any more and must end:
 * bpf_prober_lives() stays false.
 */
static void mend(struct bpf_side *b)
{
	struct prober_request attach = { .what = PROBER_ATTACH, .parts = BPF_ALL };
	struct prober_request detach = { .what = PROBER_DETACH, .parts = BPF_ALL };
	struct prober second;

	b->mended = true;
	bpf_deactivate(b);
	if (prober_wait(&b->prober))
		return;
	b->left_breakpoints = start_prober(&second, b, false, NULL) || prober_ask(&second, &attach, NULL) ||
			      prober_ask(&second, &detach, NULL);
	prober_end(&second);
}

void bpf_detach(struct bpf_side *b, unsigned int parts)
{
	struct prober_request rq = { .what = PROBER_DETACH, .parts = parts };

	if (prober_ask(&b->prober, &rq, NULL) == -EPIPE && !b->mended)
		mend(b);
}

void bpf_free(struct bpf_side *b)
{
	if (!b)
		return;
	prober_end(&b->prober);
	bpf_link__destroy(b->exec_watch);
	ring_set_free(&b->rings);
	gotap_bpf__destroy(b->skel);
	free(b);
}

struct ring_set *bpf_rings(struct bpf_side *b)
{
	return &b->rings;
}

bool bpf_has_extras(const struct bpf_side *b)
{
	size_t i;

	for (i = 0; i < b->plan->points.len; i++)
		if (group_is_extra(plan_group_of(vec_at(&b->plan->points, struct probe_point, i)->program)))
			return true;
	return false;
}

void bpf_watch_exec(struct bpf_side *b)
{
	b->exec_watch = bpf_program__attach_raw_tracepoint(b->skel->progs.target_execed,
							   "sched_process_exec");
}

bool bpf_watches_exec(const struct bpf_side *b)
{
	return b->exec_watch;
}

uint64_t bpf_exec_time(const struct bpf_side *b)
{
	return __atomic_load_n(&b->skel->bss->exec_time, __ATOMIC_SEQ_CST);
}

int bpf_sampling_program(const struct bpf_side *b)
{
	return bpf_program__fd(b->skel->progs.cpu_sample);
}

const char *bpf_method(const struct bpf_side *b)
{
	return b->multi ? "uprobe_multi" : "perf";
}
