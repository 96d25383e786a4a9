/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor: what `gotap doctor` finds out, between those who find it (machine,
 * program) and those who show it (text, JSON). A finding that is FAIL stands
 * in the way of a trace, and has a remedy if there is one.
 */
#ifndef GOTAP_CMD_DOCTOR_DOCTOR_H
#define GOTAP_CMD_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "attach/bpf.h"
#include "live/module.h"
#include "plan/plan.h"
#include "live/process.h"
#include "target/gobin.h"

enum level { LEVEL_OK, LEVEL_NOTE, LEVEL_FAIL };

struct finding {
	enum level level;
	const char *area;	/* "machine", "privileges", "program", "process" */
	const char *name;
	char text[512];
	char remedy[256];	/* "" none */
};

/* One probe, as it would be placed. */
struct probe_view {
	const struct probe_point *point;
	const struct gobin *bin;	/* the program, or one of its plugins */
	uint64_t addr;		/* in that file, as it was linked */
	bool emulated;		/* by the kernel; else it steps the instruction */
	int cost_ns;		/* of one hit, roughly */
};

struct doctor {
	struct vec findings;	/* struct finding */
	struct vec probes;	/* struct probe_view */
	struct gobin *bin;	/* NULL without a program */
	struct vec plugins;	/* struct plugin: what it has opened */
	struct plan plan;
	struct process proc;
	bool has_proc;
};

struct finding *doctor_add(struct doctor *d, enum level level, const char *area,
			   const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The first finding that is FAIL, NULL if none. */
const struct finding *doctor_obstacle(const struct doctor *d);

/* Kernel, BPF features, privileges, settings. */
void doctor_look_at_machine(struct doctor *d);
/*
 * Checks the identity of d->proc, and that its memory has the runtime's structures; @container
 * may be NULL.
 */
void doctor_look_at_process(struct doctor *d, const char *container);
/* Returns whether the program is of another architecture than this machine. */
bool doctor_is_foreign(const struct doctor *d);
/* Release, symbols, offsets, probe sites of d->bin; loads the BPF programs for it. */
void doctor_look_at_program(struct doctor *d, unsigned int groups);

void doctor_print(const struct doctor *d);
void doctor_print_json(const struct doctor *d);

#endif
