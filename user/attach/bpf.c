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

#include "attach/held.h"
#include "attach/inliner_clean.h"
#include "base/vec.h"
#include "proc/privilege.h"

/* perf_event_open() of a uprobe asks for CAP_SYS_ADMIN, as at the start; a link for none. */
static unsigned int privileges_to_attach(const struct bpf_side *b)
{
	unsigned int needs = b->multi ? 0 : PRIVILEGE_ADMIN | PRIVILEGE_PERFMON | PRIVILEGE_BPF;

	/*
	 * To take out memory takes those for --attach inline, too: a seccomp filter is read with
	 * CAP_SYS_ADMIN, and a thread is let go at once with CAP_SYS_NICE (inline/hold.h). Where
	 * the threads of another user's program sleep, only that user may read (syscall in /proc).
	 */
	if (!b->plan->for_inline && b->inliner.status->earlier != INLINE_EARLIER_LEFT)
		return needs;
	needs |= PRIVILEGE_PTRACE | PRIVILEGE_ADMIN | PRIVILEGE_NICE;
	return process_is_of_user(b->proc) ? needs : needs | PRIVILEGE_READ;
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
		r = held_start(&b->prober, b, opts->verbose, err);
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
	bpf_stop_programs(b->skel->bss);
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
	b->left_breakpoints = held_start(&second, b, false, NULL) ||
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

void bpf_detach_region(struct bpf_side *b, unsigned int i)
{
	struct prober_request rq = { .what = PROBER_DETACH_REGION, .parts = i };

	if (prober_ask(&b->prober, &rq, NULL) == -EPIPE && !b->mended)
		bpf_mend(b);
}

const struct region_hits *bpf_region_hits(const struct bpf_side *b)
{
	return b->skel->bss->region_hits;
}

void bpf_free(struct bpf_side *b)
{
	if (!b)
		return;
	inliner_free_pages(&b->inliner);
	prober_end(&b->prober);
	bpf_end_threads(b);
	bpf_link__destroy(b->exec_watch);
	bpf_link__destroy(b->oom_watch);
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

void bpf_watch_oom(struct bpf_side *b)
{
	b->oom_watch =
		bpf_program__attach_raw_tracepoint(b->skel->progs.oom_victim, "mark_victim");
}

bool bpf_watches_oom(const struct bpf_side *b)
{
	return b->oom_watch;
}

uint64_t bpf_oom_time(const struct bpf_side *b)
{
	return __atomic_load_n(&b->skel->bss->oom_time, __ATOMIC_SEQ_CST);
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
