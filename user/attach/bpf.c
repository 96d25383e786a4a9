// SPDX-License-Identifier: Apache-2.0
/* bpf: see bpf.h. The programs are loaded by bpf_load.c. */
#define _GNU_SOURCE
#include "attach/bpf_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Requests to the prober; prober_request.parts is, */
enum {
	PROBER_ATTACH, PROBER_DETACH,	/* enum bpf_parts */
	PROBER_CALIBRATE,		/* enum calibration */
	PROBER_PRIVILEGES,		/* the privileges that it keeps */
	PROBER_INJECT, PROBER_PATCH,	/* --attach inline */
};

/* --- the prober --- */

/* perf_event_open() of a uprobe asks for CAP_SYS_ADMIN, as at the start; a link for none. */
static unsigned int privileges_to_attach(const struct bpf_side *b)
{
	unsigned int needs = b->multi ? 0 : PRIVILEGE_ADMIN | PRIVILEGE_PERFMON | PRIVILEGE_BPF;

	/*
	 * To take out memory takes those for --attach inline, too: a seccomp filter is read with
	 * CAP_SYS_ADMIN, and a thread is let go at once with CAP_SYS_NICE (inline/hold.h).
	 */
	return b->plan->for_inline || b->inliner.status->earlier == INLINE_EARLIER_LEFT ?
	       needs | PRIVILEGE_PTRACE | PRIVILEGE_ADMIN | PRIVILEGE_NICE : needs;
}

static const char *const calibration_programs[] = {
	[CALIBRATE_HIT] = "calibrate_hit", [CALIBRATE_RECORD] = "calibrate_record",
};

/* The first attach looks whether the program is as it should be. */
static int capture_attach(struct held *held, unsigned int parts, struct error *err)
{
	int r = held->looked ? 0 : inliner_look(held->inliner, &held->links, err);

	held->looked = !r;
	return r ? r : links_attach(&held->links, parts, err);
}

static int bpf_patch(struct held *held, struct error *err)
{
	int r = inliner_patch(held->inliner, err);

	links_release(&held->links);
	return r;
}

/*
 * The reverse of inject and patch. Where no uprobe can be put at the places again, calls keep
 * leading to code that does nothing.
 */
static void bpf_take_out(struct held *held)
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

static void capture_detach(struct held *held, unsigned int parts)
{
	if (parts & BPF_INLINE)
		bpf_take_out(held);
	links_detach(&held->links, parts & BPF_ALL);
}

/* @r, or the reason of it: memory that cannot be reached any more. */
static int as_it_ended(struct held *held, int r, struct error *err)
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
static int keep_privileges(struct held *held, unsigned int keep, struct error *err)
{
	int r = privilege_keep(keep, err);

	if (r)
		return r;
	if (held->links.multi)
		privilege_lower(PRIVILEGE_ADMIN);
	return keep & PRIVILEGE_NICE ? 0 : privilege_filter(false, err);
}

static int bpf_serve(void *ctx, const struct prober_request *rq, struct error *err)
{
	struct held *held = ctx;

	switch (rq->what) {
	case PROBER_ATTACH:
		return capture_attach(held, rq->parts, err);
	case PROBER_DETACH:
		capture_detach(held, rq->parts);
		return 0;
	case PROBER_INJECT:
		return as_it_ended(held, inliner_inject(held->inliner, err), err);
	case PROBER_PATCH:
		return as_it_ended(held, bpf_patch(held, err), err);
	case PROBER_CALIBRATE:
		return links_attach_gotap(&held->links, calibration_programs[rq->parts], rq->offset,
					  err);
	case PROBER_PRIVILEGES:
		return keep_privileges(held, rq->parts, err);
	}
	return error_set(err, -EINVAL, "unknown request %u", rq->what);
}

static void capture_deactivate(struct gotap_bpf__bss *bss)
{
	__atomic_store_n(&bss->active, 0, __ATOMIC_SEQ_CST);
}

static void serve_no_more(void *ctx)
{
	struct held *held = ctx;

	capture_deactivate(held->bss);
	capture_detach(held, BPF_ALL | BPF_INLINE);
	/* a gotap that lives still reads what was recorded */
	if (getppid() != held->links.gotap)
		inliner_free_pages(held->inliner);
}

static void keep_fd(struct vec *keep, int fd)
{
	if (fd >= 0)
		*(int *)vec_push(keep, sizeof(int)) = fd;
}

/*
 * The prober reads the program's file and looks whether the program is still there; its memory has
 * descriptors of its own.
 */
static bool bpf_has_more(void *ctx, struct vec *keep)
{
	struct held *held = ctx;
	const struct process *p = held->links.proc;

	keep_fd(keep, p->exe_file);
	keep_fd(keep, p->library_file);
	keep_fd(keep, p->pidfd);
	inline_left_files(&held->inliner->left, keep);
	return inliner_has_left(held->inliner);
}

static void bpf_take_later(void *ctx)
{
	struct held *held = ctx;

	inliner_take_later(held->inliner);
}

static bool has_probes(void *ctx)
{
	struct held *held = ctx;

	return links_any(&held->links) || held->inliner->injected;
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
	keep_fd(ret, b->proc->pidfd);
	keep_fd(ret, b->inliner.known);
	for (i = 0; i < b->plan->points.len; i++)
		keep_fd(ret, process_file_of_path(
				     vec_at(&b->plan->points, struct probe_point, i)->file));
	if (verbose)
		keep_fd(ret, STDERR_FILENO);
}

static int start_prober(struct prober *ret, struct bpf_side *b, bool verbose, struct error *err)
{
	struct held held = {
		.links = { .plan = b->plan, .proc = b->proc, .object = b->skel->obj,
			   .multi = b->multi, .gotap = getpid(),
			   .inliner = &b->inliner },
		.inliner = &b->inliner,
		.bss = b->skel->bss,
	};
	struct prober_job job = { .serve = bpf_serve,
				  .end = serve_no_more,
				  .has_probes = has_probes,
				  .has_more = bpf_has_more,
				  .later = bpf_take_later,
				  .ctx = &held,
				  .patience_ms = PROBER_PATIENCE_MS };
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

	b->plan = plan;
	b->proc = proc;
	r = bpf_load_programs(b, opts, err);
	if (!r && inliner_init(&b->inliner, plan, proc, b->skel->rodata, &b->in_target.plan))
		r = error_set(err, -ENOMEM,
			      "cannot make memory to share with the process that holds the probes");
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
	struct text_range text = bpf_text_of(b);

	return text_moved(b->proc, &text);
}

/* Probes go into the file that was parsed: does the process still run that file? */
static int check_identity(const struct bpf_side *b, struct error *err)
{
	struct text_range text = bpf_text_of(b);

	if (!process_execed(b->proc))
		return text_check(b->proc, &text, err);
	return error_set(err, -ESTALE,
			 "process %d has exec'ed another program while it was attached to: "
			 "record that one, with -p",
			 b->proc->pid);
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
	struct prober_request rq = { .what = PROBER_CALIBRATE,
				     .parts = which,
				     .offset = file_offset };

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

/* The prober opens it in the target's name; both are gotap's own processes. */
static int open_memory_of_prober(const struct bpf_side *b, struct error *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", b->prober.pid, b->inliner.status->memfd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? error_set(err, -errno, "cannot open the memory in the program: %s",
				  strerror(errno)) :
			fd;
}

static bool is_active(const struct bpf_side *b)
{
	return __atomic_load_n(&b->skel->bss->active, __ATOMIC_SEQ_CST);
}

int bpf_begin_inline(struct bpf_side *b, struct error *err)
{
	struct prober_request inject = { .what = PROBER_INJECT }, patch = { .what = PROBER_PATCH };
	int r = check_identity(b, err), fd;

	if (!r)
		r = prober_ask(&b->prober, &inject, err);
	fd = r ? r : open_memory_of_prober(b, err);
	if (fd < 0)
		return fd;
	b->inliner.known = fd;
	r = inline_rings_open(&b->in_target, fd, err);
	if (r)
		return r;
	inline_rings_switch(&b->in_target, is_active(b));
	return prober_ask(&b->prober, &patch, err);
}

const struct inline_status *bpf_inline_status(const struct bpf_side *b)
{
	return b->inliner.status && (b->plan->for_inline || b->inliner.status->earlier) ?
		       b->inliner.status :
		       NULL;
}

void bpf_inline_failed(struct bpf_side *b, const struct error *why)
{
	struct inline_status *s = b->inliner.status;

	if (s->state == INLINE_STATE_OFF)
		snprintf(s->why, sizeof(s->why), "%.159s", why->text);
}

bool bpf_inline_is_stopped(const struct bpf_side *b)
{
	return inliner_is_stopped(&b->inliner);
}

struct inline_rings *bpf_inline_rings(struct bpf_side *b)
{
	return &b->in_target;
}

void bpf_activate(struct bpf_side *b)
{
	__atomic_store_n(&b->skel->bss->active, 1, __ATOMIC_SEQ_CST);
	inline_rings_switch(&b->in_target, true);
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
	/* code in the target always says the name; a loss of its records is not in names_lost */
	if (b->plan->for_inline)
		return;
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
	inline_rings_set_stacks(&b->in_target, stacks);
}

void bpf_deactivate(struct bpf_side *b)
{
	inline_rings_switch(&b->in_target, false);
	capture_deactivate(b->skel->bss);
}

/*
 * A prober that was killed may have left breakpoints behind. They go with the next probes at the
 * same places. Those come from a prober of its own, because the recording has none any more and
 * must end: bpf_prober_lives() stays false.
 */
static void bpf_mend(struct bpf_side *b)
{
	struct prober_request attach = { .what = PROBER_ATTACH, .parts = BPF_ALL };
	struct prober_request detach = { .what = PROBER_DETACH, .parts = BPF_ALL };
	struct prober second;

	b->mended = true;
	bpf_deactivate(b);
	if (prober_wait(&b->prober))
		return;
	b->left_breakpoints = start_prober(&second, b, false, NULL) ||
			      prober_ask(&second, &attach, NULL) ||
			      prober_ask(&second, &detach, NULL);
	prober_end(&second);
}

void bpf_detach(struct bpf_side *b, unsigned int parts)
{
	struct prober_request rq = { .what = PROBER_DETACH, .parts = parts };

	if (prober_ask(&b->prober, &rq, NULL) == -EPIPE && !b->mended)
		bpf_mend(b);
}

void bpf_free(struct bpf_side *b)
{
	if (!b)
		return;
	inliner_free_pages(&b->inliner);
	prober_end(&b->prober);
	bpf_end_threads(b);
	bpf_link__destroy(b->exec_watch);
	inliner_free(&b->inliner);
	inline_rings_free(&b->in_target);
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
		if (group_is_extra(plan_group_of(
			    vec_at(&b->plan->points, struct probe_point, i)->program)))
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

int bpf_attach_threads(struct bpf_side *b, struct error *err)
{
	struct bpf_program *const programs[] = {
		b->skel->progs.threads_switch, b->skel->progs.threads_wake,
		b->skel->progs.threads_new, b->skel->progs.threads_move,
	};
	size_t i;

	for (i = 0; bpf_has_threads(b) && i < sizeof(programs) / sizeof(programs[0]); i++) {
		b->threads[i] = bpf_program__attach(programs[i]);
		if (!b->threads[i])
			return error_set(err, -errno, "cannot attach to the tracepoint of %s: %s",
					 bpf_program__section_name(programs[i]), strerror(errno));
	}
	return 0;
}

uint64_t bpf_threads_with(const struct bpf_side *b)
{
	return tracepoints_lack(&b->tracepoints) |
	       (b->skel->rodata->every_switch ? REC_WITH_SYSTEM : 0) |
	       (b->proc->bpf_ns.ino ? REC_WITH_INNER_IDS : 0);
}

void bpf_begin_threads(struct bpf_side *b)
{
	__atomic_store_n(&b->skel->bss->threads_active, b->threads[0] != NULL, __ATOMIC_SEQ_CST);
}

void bpf_end_threads(struct bpf_side *b)
{
	size_t i;

	if (!b->threads[0])
		return;
	__atomic_store_n(&b->skel->bss->threads_active, 0, __ATOMIC_SEQ_CST);
	for (i = 0; i < sizeof(b->threads) / sizeof(b->threads[0]); i++) {
		bpf_link__destroy(b->threads[i]);
		b->threads[i] = NULL;
	}
}

int bpf_sampling_program(const struct bpf_side *b)
{
	return bpf_program__fd(b->skel->progs.cpu_sample);
}

const char *bpf_method(const struct bpf_side *b)
{
	return b->multi ? "uprobe_multi" : "perf";
}
