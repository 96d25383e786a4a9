/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the kernel's links that hold the probes of one plan: makes and closes
 * them. Everything here runs in the prober (prober.h), on behalf of bpf.c.
 */
#ifndef GOTAP_CAPTURE_LINKS_H
#define GOTAP_CAPTURE_LINKS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "live/process.h"
#include "plan/plan.h"

struct links {
	const struct plan *plan;
	const struct process *proc;
	struct bpf_object *object;	/* loaded */
	bool multi;			/* by uprobe_multi, else by perf */
	pid_t gotap;
	struct vec attached;		/* struct attached */
};

/* Probes come and go in two parts. */
enum bpf_parts { BPF_CORE = 1, BPF_EXTRAS = 2, BPF_ALL = 3 };

/* The program of @object that serves @p in a program of that release. */
struct bpf_program *links_program(struct bpf_object *object, const struct plan *plan, enum program p);
/* All of @parts or none. */
int links_attach(struct links *l, unsigned int parts, struct error *err);
/* Into gotap itself, until any part is detached. */
int links_attach_gotap(struct links *l, const char *program, uint64_t file_offset, struct error *err);
/* Are there any in the program? */
bool links_any(const struct links *l);
/* Returns when the kernel has taken them out. */
void links_detach(struct links *l, unsigned int parts);

#endif
