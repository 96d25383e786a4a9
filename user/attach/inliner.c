// SPDX-License-Identifier: Apache-2.0
/* inliner: see inliner.h. */
#define _GNU_SOURCE
#include "attach/inliner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/bpf_internal.h"
#include "attach/inliner_clean.h"
#include "inline/alive.h"
#include "inline/image.h"
#include "inline/room.h"
#include "inline/tsc.h"

/*
 * A thread that sleeps in the runtime is there soon: sysmon sleeps 10 ms at most. But it makes some
 * ten system calls, and before each it waits for a processor like any other.
 */
enum { FIND_THREAD_MS = 2000 };

/* The index is enum program. */
static const enum inline_program programs[PROGRAMS] = {
#define INLINE_PROGRAM(name) [PROGRAM_##name] = INLINE_##name,
#include "inline.def"
#undef INLINE_PROGRAM
};

static const struct probe_point *point_at(const struct inliner *in, size_t i)
{
	return vec_at(&in->plan->points, struct probe_point, *vec_at(&in->points, size_t, i));
}

static struct patch *patch_at(const struct inliner *in, size_t i)
{
	return vec_at(&in->patches, struct patch, i);
}

/* --- in gotap --- */

static void add_patch(struct inliner *in, size_t i)
{
	const struct probe_point *pt = vec_at(&in->plan->points, struct probe_point, i);
	struct patch *p = vec_push(&in->patches, sizeof(*p));

	*p = (struct patch){ .addr = pt->addr + in->proc->bias, .len = pt->len,
			     .at = pt->patch == PATCH_FLAG ? 2 : 1 };
	memcpy(p->bytes, pt->bytes, sizeof(p->bytes));
	*(size_t *)vec_push(&in->points, sizeof(i)) = i;
}

static void add_patches(struct inliner *in, bool flags)
{
	size_t i;

	for (i = 0; i < in->plan->points.len && in->patches.len < INLINE_SITES; i++) {
		enum patch_kind kind = vec_at(&in->plan->points, struct probe_point, i)->patch;

		if (kind != PATCH_NONE && (kind == PATCH_FLAG) == flags)
			add_patch(in, i);
	}
}

int inliner_init(struct inliner *in, const struct plan *plan, const struct process *proc,
		  const struct gotap_bpf__rodata *knobs, const struct inline_shared *head)
{
	*in = (struct inliner){ .plan = plan, .proc = proc, .knobs = knobs, .head = *head,
				.memory = INJECTED_NONE, .known = -1, .pages = -1 };
	freezer_find(&in->mounts, "/proc/self/mountinfo");
	in->status = mmap(NULL, sizeof(*in->status), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (in->status == MAP_FAILED) {
		in->status = NULL;
		return -errno;
	}
	/* flags last: one takes effect when its call leads to gotap's code already */
	add_patches(in, false);
	add_patches(in, true);
	return 0;
}

void inliner_free(struct inliner *in)
{
	if (in->status) {	/* else it was never begun */
		munmap(in->status, sizeof(*in->status));
		if (in->known >= 0)
			close(in->known);
	}
	freezer_free(&in->mounts);
	vec_free(&in->patches);
	vec_free(&in->points);
	*in = (struct inliner){ .memory = INJECTED_NONE };
}

/* --- in the prober --- */

int inliner_look(struct inliner *in, struct links *links, struct error *err)
{
	int r = inliner_clean(in, links, err);

	if (!r)
		patch_look(in->proc, in->patches.data, in->patches.len);
	return r;
}

static int inliner_open_shared(struct inliner *in, struct error *err)
{
	void *p =
		mmap(NULL, in->head.size, PROT_READ | PROT_WRITE, MAP_SHARED, in->memory.memfd, 0);

	if (p == MAP_FAILED)
		return error_set(err, -errno,
				 "cannot map the memory that is shared with the program: %s",
				 strerror(errno));
	in->shared = p;
	in->head.code = in->memory.code;
	in->head.code_size = in->memory.code_size;
	*in->shared = in->head;
	return alive_begin(&in->shared->alive, err);
}

static struct inline_site site_of(const struct inliner *in, const struct probe_point *pt)
{
	const struct probe_point *flag = vec_at(&in->plan->points, struct probe_point, pt->hook);
	uint64_t bias = in->proc->bias;

	if (pt->patch == PATCH_HOOK_CALL)
		return (struct inline_site){ pt->patch_target + bias, flag->patch_target + bias,
					     programs[flag->program], 0 };
	return (struct inline_site){ pt->patch_target + bias, 0, programs[pt->program], 0 };
}

static void set_knobs(const struct inliner *in, struct image *im)
{
#define KNOB_BPF(name)
#define KNOB_BOTH(name) \
	image_put(im, #name, (const void *)&in->knobs->name, sizeof(in->knobs->name));
#define KNOB(code, type, name, initial) KNOB_##code(name)
#include "knobs.def"
#undef KNOB_BPF
#undef KNOB_BOTH
}

static void set_sites(struct inliner *in, struct image *im)
{
	size_t i;

	for (i = 0; i < in->patches.len; i++) {
		const struct probe_point *pt = point_at(in, i);
		struct inline_site site = site_of(in, pt);

		if (pt->patch == PATCH_FLAG) {
			patch_at(in, i)->to = in->memory.code + image_true_byte();
			continue;
		}
		image_set_site(im, i, &site);
		patch_at(in, i)->to = in->memory.code + image_stub(i);
	}
}

static int write_code(struct inliner *in, struct image *im, struct error *err)
{
	struct inline_control control = { .shared = in->memory.shared };
	int r;

	set_knobs(in, im);
	image_set_layout(im, &in->head);
	set_sites(in, im);
	r = inject_write(in->proc, &in->memory, in->memory.code, im->code, im->size, err);
	if (!r)
		r = inject_write(in->proc, &in->memory, in->memory.code + in->memory.code_size,
				 &control, sizeof(control), err);
	return r;
}

static void note_held(struct inliner *in)
{
	holds_join(&in->status->held, &in->memory.held);
	in->memory.held = (struct holds){0};
}

static int inliner_may_inject(struct inliner *in, struct error *err)
{
	int r = in->patches.len ?
			inject_possible(in->proc, err) :
			error_set(err, -ENOTSUP,
				  "none of its probes is at an instruction that could be changed");

	if (!r)
		r = tsc_check(err);
	return r ? r : inliner_take_left(in, FIND_THREAD_MS, err) ? -EAGAIN : 0;
}

/* Memory that an attempt had to leave is taken out before the next one. */
static int inliner_keep_for_later(struct inliner *in, const struct error *why)
{
	inliner_note_left(in, false, why);
	note_held(in);
	inline_left_add(&in->left, &in->memory, false);
	return -EAGAIN;
}

int inliner_inject(struct inliner *in, struct error *err)
{
	struct inject_hosts hosts = inliner_hosts(in);
	uint64_t bias = in->proc->bias;
	struct image im;
	int r = inliner_may_inject(in, err);

	if (r)
		return r;
	image_init(&im);
	r = room_check(in->proc, &in->mounts.mounts, im.size, in->head.size, err);
	if (r) {
		image_free(&im);
		return r;
	}
	r = inject_memory(in->proc, &hosts, in->plan->text_start + bias, in->plan->text_end + bias,
			  im.size, in->head.size, FIND_THREAD_MS, &in->memory, err);
	in->injected = !r;
	if (!r)
		in->pages = fcntl(in->memory.memfd, F_DUPFD_CLOEXEC, 3);
	if (!r)
		r = inliner_open_shared(in, err);
	if (!r)
		r = write_code(in, &im, err);
	image_free(&im);
	if (r == -EBUSY && !in->injected)
		return inliner_keep_for_later(in, err);
	if (r && in->injected)
		inliner_remove(in);
	note_held(in);
	in->status->memfd = in->memory.memfd;
	return r;
}

/* --- patches --- */

static size_t inliner_calls(const struct inliner *in)
{
	size_t n = 0;

	while (n < in->points.len && point_at(in, n)->patch != PATCH_FLAG)
		n++;
	return n;
}

static void keep_uprobe(struct inliner *in, size_t i, const char *why)
{
	struct patch *p = patch_at(in, i);
	struct error err;

	if (p->done)
		patch_apply(in->proc, in->memory.mem, p, 1, true, &err);
	if (!p->why[0])
		snprintf(p->why, sizeof(p->why), "%s", why);
}

static bool is_whole(const struct inliner *in, enum program program, enum patch_kind kind)
{
	size_t i;

	for (i = 0; i < in->points.len; i++)
		if (point_at(in, i)->program == program && point_at(in, i)->patch == kind &&
		    !patch_at(in, i)->done)
			return false;
	return true;
}

/*
 * All places of a program share one link in the kernel, which goes as a whole: where one place
 * cannot be patched, all of the program's keep their uprobes.
 */
static void make_whole(struct inliner *in, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		if (patch_at(in, i)->done &&
		    !is_whole(in, point_at(in, i)->program, point_at(in, i)->patch))
			keep_uprobe(in, i, "another place of the same probe cannot be changed");
}

static void drop_flags_without_call(struct inliner *in, size_t from)
{
	size_t i, j;

	for (i = from; i < in->patches.len && point_at(in, i)->patch == PATCH_FLAG; i++)
		for (j = 0; j < from; j++)
			if (*vec_at(&in->points, size_t, j) == point_at(in, i)->hook &&
			    !patch_at(in, j)->done)
				keep_uprobe(in, i, "its trace hook cannot be changed");
}

static void count_sites(struct inliner *in)
{
	struct inline_status *s = in->status;
	size_t i;

	s->sites = s->stayed = 0;
	s->why[0] = '\0';	/* of an earlier attempt */
	for (i = 0; i < in->patches.len; i++) {
		s->sites += patch_at(in, i)->done;
		s->stayed += !patch_at(in, i)->done;
		if (!patch_at(in, i)->done && !s->why[0])
			snprintf(s->why, sizeof(s->why), "%s: %s", point_at(in, i)->function,
				 patch_at(in, i)->why);
	}
	s->state = s->sites ? INLINE_STATE_ON : INLINE_STATE_OFF;
}

/*
 * Patches from @from to @to take over; those that cannot all be put in place leave the uprobes as
 * they are.
 */
static int take_over(struct inliner *in, size_t from, size_t to, struct error *err)
{
	int r = patch_apply(in->proc, in->memory.mem, patch_at(in, from), to - from, false, err);

	drop_flags_without_call(in, from);
	make_whole(in, from, to);
	return r ? r : patch_uncover(in->proc, in->memory.mem, patch_at(in, from), to - from, err);
}

/*
 * Returns -ESRCH in place of @r if some places could not get calls because the target has exec'ed
 * or ended: their breakpoints and its memory are gone with the old program, so status->why must not
 * name that as a fault of the places.
 */
static int inliner_as_it_is_now(struct inliner *in, int r, struct error *err)
{
	if ((!r && !in->status->stayed) || !process_is_gone(in->proc))
		return r;
	in->status->why[0] = '\0';
	return error_set(err, -ESRCH, "process %d has ended, or runs another program",
			 in->proc->pid);
}

int inliner_patch(struct inliner *in, struct error *err)
{
	size_t n = inliner_calls(in);
	int r = take_over(in, 0, n, err);

	if (!r)
		r = take_over(in, n, in->patches.len, err);
	count_sites(in);
	return inliner_as_it_is_now(in, r, err);
}

void inliner_silence(struct inliner *in)
{
	if (in->shared)
		__atomic_store_n(&in->shared->on, 0, __ATOMIC_SEQ_CST);
}

void inliner_look_again(struct inliner *in)
{
	ssize_t i = patch_disturbed(in->proc, in->patches.data, in->patches.len);

	if (i >= 0)
		snprintf(in->status->disturbed, sizeof(in->status->disturbed), "%s",
			 point_at(in, (size_t)i)->function);
}

void inliner_give_up(struct inliner *in, const struct error *why)
{
	in->status->state = INLINE_STATE_STUCK;
	snprintf(in->status->why, sizeof(in->status->why), "%.159s", why->text);
}

void inliner_undo(struct inliner *in)
{
	size_t n = inliner_calls(in), i;
	struct error err = {0};

	patch_apply(in->proc, in->memory.mem, patch_at(in, n), in->patches.len - n, true, &err);
	patch_apply(in->proc, in->memory.mem, in->patches.data, n, true, &err);
	for (i = 0; i < in->patches.len; i++) {
		if (!patch_at(in, i)->done)
			continue;
		if (!err.code)
			error_set(&err, -EBUSY, "%s: %s", point_at(in, i)->function,
				  patch_at(in, i)->why);
		inliner_give_up(in, &err);
	}
}

void inliner_free_pages(struct inliner *in)
{
	if (!in->status)
		return;		/* it was never begun */
	if (in->known >= 0)
		inject_free_pages(in->known);
	if (in->pages >= 0)
		inject_free_pages(in->pages);
}

/*
 * Processes that the target has forked have the memory, too: it is not locked beyond this
 * recording.
 */
static void inliner_forget(struct inliner *in)
{
	if (in->memory.memfd >= 0)
		flock(in->memory.memfd, LOCK_UN);
	if (in->shared)
		munmap(in->shared, in->head.size);
	injected_close(&in->memory);
	in->memory = INJECTED_NONE;
	in->shared = NULL;
	in->injected = false;
}

bool inliner_is_gone(struct inliner *in)
{
	if (in->status->state != INLINE_STATE_GONE && !process_is_gone(in->proc))
		return false;
	if (in->status->state == INLINE_STATE_STUCK)
		/* calls could not be put back because they were gone */
		in->status->why[0] = '\0';
	if (in->status->state == INLINE_STATE_ON || in->status->state == INLINE_STATE_STUCK)
		in->status->state = INLINE_STATE_GONE;
	return true;
}

/*
 * Sets the state after the memory was removed (@r 0) or not. If no call led to it yet, the state
 * does not change: nothing was undone. Memory that could not be removed is taken out later, by this
 * prober or a later gotap.
 */
static void note_removed(struct inliner *in, int r, const struct error *why)
{
	struct inline_status *s = in->status;

	if (r) {
		inliner_note_left(in, false, why);
		flock(in->memory.memfd, LOCK_UN);
		inline_left_add(&in->left, &in->memory, false);
	} else if (s->state == INLINE_STATE_ON) {
		s->state = INLINE_STATE_UNDONE;
	}
}

/* alive_end() comes with the removal: the code that may be left is inert. */
void inliner_remove(struct inliner *in)
{
	struct inject_hosts hosts = inliner_hosts(in);
	struct error err;
	int r;

	if (!in->injected)
		return;
	inliner_silence(in);
	if (in->shared)
		alive_end(&in->shared->alive);
	if (!inliner_is_gone(in) && in->status->state != INLINE_STATE_STUCK) {
		r = inject_remove(in->proc, &hosts, &in->memory, INLINER_LEAVE_MS, &err);
		note_held(in);
		note_removed(in, r == -ESRCH ? 0 : r, &err);
	}
	note_held(in);
	inliner_forget(in);
}
