/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_internal: the state that the files of bpf share: loading (bpf_load.c), the prober's side
 * of the loaded programs (held.c), and gotap's side (bpf.c). For the files of this folder.
 */
#ifndef GOTAP_ATTACH_BPF_INTERNAL_H
#define GOTAP_ATTACH_BPF_INTERNAL_H

#include <bpf/libbpf.h>

#include "attach/bpf.h"
#include "attach/inliner.h"
#include "attach/prober.h"
#include "attach/tracepoints.h"
#include "region.h"
#include "gotap.skel.h"
#include "live/text_map.h"
#include "rings/inline_rings.h"

struct bpf_side {
	const struct plan *plan;
	const struct process *proc;
	struct gotap_bpf *skel;
	bool multi;
	bool old_kernel;		/* gets the object for kernels before 5.17 */
	struct ring_set rings;
	struct inline_rings in_target;	/* with --attach inline */
	struct inliner inliner;
	struct prober prober;
	bool mended, left_breakpoints;	/* after the prober was killed */
	struct bpf_link *exec_watch, *oom_watch;	/* NULL: none */
	struct tracepoints tracepoints;	/* of the kernel, if there are records of threads */
	struct bpf_link *threads[4];	/* programs of probe_threads.bpf.c; NULL: none */
};

/* Does the plan want records of threads? */
static inline bool bpf_has_threads(const struct bpf_side *b)
{
	return b->plan->groups & 1u << GROUP_LINUX;
}

/* Returns where the code of the program lies in the process. */
static inline struct text_range bpf_text_of(const struct bpf_side *b)
{
	uint64_t bias = b->proc->bias;

	return (struct text_range){ b->plan->text_start + bias, b->plan->text_end + bias };
}

/* From now on no BPF program makes a record. */
static inline void bpf_stop_programs(struct gotap_bpf__bss *bss)
{
	__atomic_store_n(&bss->active, 0, __ATOMIC_SEQ_CST);
}

/*
 * Loads the programs that the plan of @b needs, for its process, with its rings. @b takes all that
 * is made, even if it fails. Errors as of bpf_load().
 */
int bpf_load_programs(struct bpf_side *b, const struct bpf_opts *opts, struct error *err);

#endif
