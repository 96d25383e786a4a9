// SPDX-License-Identifier: Apache-2.0
/* held: see held.h. */
#define _GNU_SOURCE
#include "attach/held.h"

#include <errno.h>
#include <unistd.h>

#include "attach/inliner_clean.h"
#include "attach/links.h"
#include "base/vec.h"
#include "proc/privilege.h"

/*
 * A thread of gotap's that got no CPU for so long on a busy machine would only end the recording.
 */
enum { PROBER_PATIENCE_MS = 5000 };

/* The descriptors that the prober holds. */
struct held {
	struct links links;
	struct inliner *inliner;
	bool looked;
	struct gotap_bpf__bss *bss;
};

static const char *const calibration_programs[] = {
	[CALIBRATE_HIT] = "calibrate_hit", [CALIBRATE_RECORD] = "calibrate_record",
};

/* The first attach looks whether the program is as it should be. */
static int held_attach(struct held *held, unsigned int parts, struct error *err)
{
	int r = held->looked ? 0 : inliner_look(held->inliner, &held->links, err);

	held->looked = !r;
	return r ? r : links_attach(&held->links, parts, err);
}

static int held_patch(struct held *held, struct error *err)
{
	int r = inliner_patch(held->inliner, err);

	links_release(&held->links);
	return r;
}

/*
 * The reverse of inject and patch. Where no uprobe can be put at the places again, calls keep
 * leading to code that does nothing.
 */
static void held_take_out(struct held *held)
{
	struct inliner *in = held->inliner;
	struct error err;
	int r;

	inliner_silence(in);
	if (in->status->state == INLINE_STATE_ON && !inliner_is_gone(in)) {
		inliner_look_again(in);
		r = links_cover(&held->links, &err);
		if (!r)
			inliner_undo(in);
		else if (r != -ESRCH)	/* else all of it went with the program */
			inliner_give_up(in, &err);
	}
	links_detach(&held->links, BPF_ALL);
	inliner_remove(in);
	inliner_clean_again(in, &held->links);
}

static void held_detach(struct held *held, unsigned int parts)
{
	if (parts & BPF_INLINE)
		held_take_out(held);
	links_detach(&held->links, parts & BPF_ALL);
}

/* @r, or the reason of it: memory that cannot be reached any more. */
static int held_as_it_ended(struct held *held, int r, struct error *err)
{
	if (!r || !inliner_is_gone(held->inliner))
		return r;
	return error_set(err, -ESRCH, "process %d has ended, or runs another program",
			 held->links.proc->pid);
}

/*
 * CAP_SYS_ADMIN is in effect only while a seccomp filter is read (inline/filter.c), where no perf
 * uprobe takes it. The kernel lets no process that has a filter read those of others
 * (seccomp_get_filter()): so a prober of --attach inline has none.
 */
static int held_keep_privileges(struct held *held, unsigned int keep, struct error *err)
{
	const struct process *p = held->links.proc;
	int r = privilege_keep(keep, err);

	if (r)
		return r;
	/* there is nothing to change in the program, and nothing that a killed gotap has left */
	if (!(keep & PRIVILEGE_PTRACE) && p->writable >= 0)
		close(p->writable);
	if (held->links.multi)
		privilege_lower(PRIVILEGE_ADMIN);
	return keep & PRIVILEGE_NICE ? 0 : privilege_filter(false, err);
}

static int held_serve(void *ctx, const struct prober_request *rq, struct error *err)
{
	struct held *held = ctx;

	switch (rq->what) {
	case PROBER_ATTACH:
		return held_attach(held, rq->parts, err);
	case PROBER_DETACH:
		held_detach(held, rq->parts);
		return 0;
	case PROBER_DETACH_REGION:
		links_detach_region(&held->links, rq->parts);
		return 0;
	case PROBER_INJECT:
		return held_as_it_ended(held, inliner_inject(held->inliner, err), err);
	case PROBER_PATCH:
		return held_as_it_ended(held, held_patch(held, err), err);
	case PROBER_CALIBRATE:
		return links_attach_gotap(&held->links, calibration_programs[rq->parts], rq->offset,
					  err);
	case PROBER_PRIVILEGES:
		return held_keep_privileges(held, rq->parts, err);
	}
	return error_set(err, -EINVAL, "unknown request %u", rq->what);
}

static void held_end(void *ctx)
{
	struct held *held = ctx;

	bpf_stop_programs(held->bss);
	held_detach(held, BPF_ALL | BPF_INLINE);
	/* a gotap that lives still reads what was recorded */
	if (getppid() != held->links.gotap)
		inliner_free_pages(held->inliner);
}

static void held_keep_fd(struct vec *keep, int fd)
{
	if (fd >= 0)
		*(int *)vec_push(keep, sizeof(int)) = fd;
}

/*
 * The prober reads the program's file and looks whether the program is still there; its memory has
 * descriptors of its own.
 */
static bool held_has_more(void *ctx, struct vec *keep)
{
	struct held *held = ctx;
	const struct process *p = held->links.proc;

	held_keep_fd(keep, p->exe_file);
	held_keep_fd(keep, p->library_file);
	held_keep_fd(keep, p->pidfd);
	held_keep_fd(keep, p->writable);
	inline_left_files(&held->inliner->left, keep);
	return inliner_has_left(held->inliner);
}

static void held_take_later(void *ctx)
{
	struct held *held = ctx;

	inliner_take_later(held->inliner);
}

static bool held_has_probes(void *ctx)
{
	struct held *held = ctx;

	return links_any(&held->links) || held->inliner->injected;
}

/* The programs, and the files that they go into. */
static void held_list_descriptors(const struct bpf_side *b, bool verbose, struct vec *ret)
{
	struct bpf_program *prog;
	size_t i;

	bpf_object__for_each_program(prog, b->skel->obj)
		held_keep_fd(ret, bpf_program__fd(prog));
	held_keep_fd(ret, b->proc->exe_file);
	held_keep_fd(ret, b->proc->library_file);
	held_keep_fd(ret, b->proc->pidfd);
	held_keep_fd(ret, b->proc->writable);
	held_keep_fd(ret, b->inliner.known);
	for (i = 0; i < b->plan->points.len; i++)
		held_keep_fd(ret, process_file_of_path(
				     vec_at(&b->plan->points, struct probe_point, i)->file));
	if (verbose)
		held_keep_fd(ret, STDERR_FILENO);
}

int held_start(struct prober *ret, struct bpf_side *b, bool verbose, struct error *err)
{
	struct held held = {
		.links = { .plan = b->plan, .proc = b->proc, .object = b->skel->obj,
			   .multi = b->multi, .gotap = getpid(),
			   .inliner = &b->inliner },
		.inliner = &b->inliner,
		.bss = b->skel->bss,
	};
	struct prober_job job = { .serve = held_serve,
				  .end = held_end,
				  .has_probes = held_has_probes,
				  .has_more = held_has_more,
				  .later = held_take_later,
				  .ctx = &held,
				  .patience_ms = PROBER_PATIENCE_MS };
	int r;

	held_list_descriptors(b, verbose, &job.keep);
	r = prober_start(ret, &job, err);
	vec_free(&job.keep);
	return r;
}
