/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: what to attach to one binary. From the Go executable: the site of
 * every probe, the class of every call site, and the knobs of the BPF
 * programs. Nothing is attached here, and no process is needed: `gotap doctor`
 * prints a plan, `gotap record` carries it out.
 */
#ifndef GOTAP_PLAN_PLAN_H
#define GOTAP_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "gooffsets.h"
#include "grpc.h"
#include "http.h"
#include "inline.h"
#include "sites.h"
#include "target/func_values.h"
#include "target/gobin.h"
#include "target/tls_g.h"
#include "waits.h"

/* The BPF programs. */
enum program {
#define PROGRAM(name, group, builds) PROGRAM_##name,
#define PROBE(...)
#include "plan/probes.def"
#undef PROGRAM
#undef PROBE
	PROGRAMS,
};

const char *program_name(enum program p);

enum group {
#define GROUP(id, name, on, text) GROUP_##id,
#include "plan/groups.def"
#undef GROUP
	GROUPS,
};

/* Sets of groups are bit masks, bit 1 << enum group. */
const char *group_name(enum group g);
const char *group_text(enum group g);
/* The cost of the group for each record, as tools/group-costs measured it (costs.def). */
struct group_cost {
	double hits;		/* of probes */
	double uprobes;		/* in empty uprobes */
};
struct group_cost group_cost(enum group g);
/*
 * Returns the @i-th runtime function that the group probes, over all Go releases; NULL: there are
 * no more.
 */
const char *plan_group_function(enum group g, size_t i);
enum group plan_group_of(enum program program);
/*
 * Returns whether the group only measures memory, so that a small --budget leaves it out. Nothing
 * else needs its records.
 */
bool group_is_extra(enum group g);
unsigned int groups_default(void);
/*
 * Reads a list like "gc,heap" or "all" or "+sweep,-heap" into *@ret. One that begins with + or -
 * changes the default, and objects are not in "all". sched and syscall are always in it. False if a
 * name is unknown.
 */
bool groups_parse(const char *list, unsigned int *ret);

/*
 * How `--attach inline` replaces a probe: it changes the operand of the instruction that the probe
 * sits at. Only in plans that were made for it.
 */
enum patch_kind {
	PATCH_NONE,		/* not at all */
	/* call rel32: calls gotap's stub instead, which goes on to @patch_target */
	PATCH_CALL,
	/*
	 * cmpb $0, trace.enabled(%rip) in front of a call of traceAcquireEnabled: it tests a byte
	 * that is never 0 instead. @patch_target: trace.enabled. The call is a point of its own
	 * (PATCH_HOOK_CALL), @hook of both is the index of the other; either both are patched or
	 * none.
	 */
	PATCH_FLAG,
	PATCH_HOOK_CALL,
};

struct probe_point {
	enum program program;
	const char *function;	/* the runtime function that has the instruction */
	uint64_t addr;		/* link-time address of the instruction */
	uint64_t file_offset;
	const char *file;	/* NULL: the program's own, else that of a plugin (not owned) */
	char site[80];		/* "push %rbp at +0x6" */
	enum patch_kind patch;
	uint8_t bytes[8], len;	/* the instruction, if it is patched */
	uint64_t patch_target;	/* link-time address */
	size_t hook;
	uint32_t region;	/* number of the plan_region that it belongs to; 0: none */
};

/* A function of which each call is recorded (regions.h). */
struct plan_region {
	const char *name;	/* owned by the gobin */
	uint64_t name_at;	/* link-time address of the name, in the program's function table */
	uint64_t addr, size;	/* link-time */
	uint32_t number;	/* from 1 on */
	uint32_t returns;
	uint32_t inlined;	/* calls of it that the compiler has inlined: they are not seen */
	/* as in struct function_sites */
	bool drop_taken, begin_is_stepped, ends_are_stepped;
	struct func_values values;	/* with --region-args; else zeros */
};

/* A probe that stays a breakpoint with `--attach inline` although it is frequent. */
struct not_inline {
	const char *function;
	char why[128];
};

struct missing_probe {
	const char *function;
	const char *lacks;	/* what the trace lacks without it */
	char why[128];
};

struct site_row {
	uint64_t pc;		/* link-time return address */
	uint8_t old, new_;	/* 0, 0: any */
	struct site_class class;
};

struct plan {
	int minor;
	enum go_abi abi;
	const struct goarch *arch;	/* of the program */
	const char *go_version;		/* of the gobin, for messages */
	struct go_offsets offsets;
	const char *offsets_source;
	bool assumed;			/* the release is the user's word, not the program's */
	/* The knobs that follow from the executable: members with the names of knobs.def. */
#define KNOB_PLAN(code, type, name, initial) type name;
#define KNOB_ADDRESS(code, type, name, initial) type name;
#define KNOB(code, type, name, initial)
#include "knobs.def"
	/* register of the sum where gcController.update is inlined; -1: nowhere */
	int heap_live_reg;
	unsigned int groups;
	uint64_t sigpanic[2];		/* runtime.sigpanic: [start, end); 0 unknown */
	uint64_t systemstack[2];	/* runtime.systemstack, likewise */
	struct tls_g tls_g;
	uint64_t allgs, allp;		/* link-time addresses of the roots; 0 unknown */
	uint64_t text_start, text_end;	/* ... of Go's own text, without C's */
	uint64_t data_start, data_end;	/* ... of all writable data, where the roots are */
	uint64_t gcphase, mheap;	/* likewise; only used where known */
	uint64_t inlined;		/* rows of pgo.def in use, as bits */
	bool unseen_unblocks;		/* some wake-ups have no probe: the model concludes them */
	struct vec points;		/* struct probe_point */
	struct vec sites;		/* struct site_row */
	struct vec regions;		/* struct plan_region */
	struct vec missing;		/* struct missing_probe */
	/* Only in a plan for `--attach inline`: */
	bool for_inline;
	struct vec not_inline;		/* struct not_inline */
	/*
	 * The places of the probes of coroswitch_m and exitsyscall in a plan for uprobes;
	 * file_offset 0: the same as in this plan.
	 */
	struct probe_point coro_start, exit_jump;
	unsigned int exit_jump_p_reg;
	/* Functions in which a sleeping thread can be borrowed (inline/inject.h): */
	/* runtime.futex and runtime.usleep: [start, end); 0: not found */
	uint64_t futex[2], usleep[2];
};

/*
 * Finds the release, field offsets and roots of the data, and no probes, so that `gotap stacks` can
 * read a program that cannot be probed. Otherwise as plan_make().
 */
int plan_describe(struct plan *p, const struct gobin *b, struct error *err);
/*
 * Fills @p for @b with the probes of @groups (a mask; groups_default()). -ENOTSUP
 * with a text that names what is missing when the binary cannot be traced. @p
 * must be released in any case.
 */
int plan_make(struct plan *p, const struct gobin *b, unsigned int groups, struct error *err);
/*
 * The same for `--attach inline`: frequent probes sit at instructions with an operand to patch,
 * where that can be.
 */
int plan_make_inline(struct plan *p, const struct gobin *b, unsigned int groups, struct error *err);
/* The number of points that `--attach inline` can patch. */
size_t plan_inline_count(const struct plan *p);
/*
 * Adds the probes of a plugin that the program has opened. @file is where it can
 * be read, for as long as @p is used; @shift is its load bias minus the program's.
 * -ENOTSUP if it cannot be traced together with the program.
 */
int plan_add_plugin(struct plan *p, const struct gobin *plugin, const char *file, uint64_t shift,
		    struct error *err);
void plan_release(struct plan *p);

/* Does the plan have a point of that program? */
bool plan_has_program(const struct plan *p, enum program program);

#endif
