// SPDX-License-Identifier: Apache-2.0
/* inliner_clean: see inliner_clean.h. */
#define _GNU_SOURCE
#include "attach/inliner_clean.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach/links.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "inline/leftover.h"
#include "inline/vm.h"

/* How long to wait for the end of a gotap that was killed. */
#define DYING_NS 1000000000ULL

struct inject_hosts inliner_hosts(const struct inliner *in)
{
	const struct plan *p = in->plan;
	uint64_t bias = in->proc->bias;

	return (struct inject_hosts){
		.futex = { p->futex[0] ? p->futex[0] + bias : 0,
			   p->futex[0] ? p->futex[1] + bias : 0 },
		.usleep = { p->usleep[0] ? p->usleep[0] + bias : 0,
			    p->usleep[0] ? p->usleep[1] + bias : 0 },
	};
}

/* The text of the module is mapped as one piece. */
static uint64_t clean_file_offset(const struct inliner *in, uint64_t addr)
{
	const struct probe_point *any = vec_at(&in->plan->points, struct probe_point, 0);

	return addr - in->proc->bias - any->addr + any->file_offset;
}

/* Puts the calls in @patches back, in @mem. */
static int clean_put_back(const struct inliner *in, struct links *links, int mem,
			  struct vec *patches, struct error *err)
{
	struct vec offsets = {0};
	size_t i;
	int r;

	if (mem < 0)
		return error_set(err, mem, "cannot write into the memory of process %d: %s",
				 in->proc->pid, strerror(-mem));
	for (i = 0; i < patches->len; i++)
		*(uint64_t *)vec_push(&offsets, sizeof(uint64_t)) =
			clean_file_offset(in, vec_at(patches, struct patch, i)->addr);
	r = patches->len ? links_guard(links, offsets.data, offsets.len, err) : 0;
	if (!r)
		r = patch_apply(in->proc, mem, patches->data, patches->len, true, err);
	links_detach(links, BPF_GUARD);
	vec_free(&offsets);
	return r;
}

void inliner_note_left(struct inliner *in, bool earlier, const struct error *why)
{
	struct inline_status *s = in->status;

	if (earlier) {
		s->earlier = INLINE_EARLIER_LEFT;
		snprintf(s->earlier_why, sizeof(s->earlier_why), "%.159s", why->text);
	} else {
		s->state = INLINE_STATE_LEFT;
		snprintf(s->why, sizeof(s->why), "%.159s", why->text);
	}
}

/* Sets the status anew after some of the memory was taken out. */
static void clean_note_taken(struct inliner *in, bool earlier)
{
	struct inline_status *s = in->status;

	if (earlier && s->earlier != INLINE_EARLIER_LEFT) {
		s->earlier = INLINE_EARLIER_TAKEN;
	} else if (!earlier) {
		s->state = !s->sites                 ? INLINE_STATE_OFF :
			   process_is_gone(in->proc) ? INLINE_STATE_GONE :
						       INLINE_STATE_UNDONE;
		s->why[0] = '\0';
	}
}

/* @found: as leftover_find() has it, with @old and @patches. 0: it was taken out. */
static int clean_found(struct inliner *in, struct links *links, int mem,
			      struct injected *old, struct vec *patches)
{
	struct inject_hosts hosts = inliner_hosts(in);
	bool earlier = in->status->state != INLINE_STATE_ON;
	struct error why = {0};
	int back = clean_put_back(in, links, mem, patches, &why);
	int r = back ? back : inject_remove(in->proc, &hosts, old, INLINER_LEAVE_MS, &why);

	if (earlier && !back)	/* else gotap reads what is there */
		inject_free_pages(old->memfd);
	holds_join(&in->status->held, &old->held);
	old->held = (struct holds){0};
	if (!r || r == -ESRCH)
		clean_note_taken(in, earlier);
	else
		inliner_note_left(in, earlier, &why);
	if (r && !back)
		inline_left_add(&in->left, old, earlier);
	return r;
}

/* Finds and takes out one. 1: done; 0: there is none, or it stays; -EBUSY. */
static int clean_one(struct inliner *in, struct links *links, struct error *err)
{
	struct inject_hosts hosts = inliner_hosts(in);
	/* first: what is found is put back in the program that has it */
	_cleanup_close_ int mem = vm_open(in->proc);
	struct injected old = INJECTED_NONE;
	struct vec patches = {0};
	uint64_t bias = in->proc->bias;
	int found = leftover_find(in->proc, &hosts, in->plan->text_start + bias,
				  in->plan->text_end + bias, in->known, &old, &patches, err);
	int r = found;

	if (found > 0)
		r = !clean_found(in, links, mem, &old, &patches);
	else if (found < 0 && found != -EBUSY && !process_is_gone(in->proc))
		inliner_note_left(in, in->status->state != INLINE_STATE_ON, err);
	injected_close(&old);
	vec_free(&patches);
	return r > 0 || r == -EBUSY ? r : 0;
}

/*
 * What cannot be taken out stays: it does nothing. The memory may be that of this recording, of a
 * prober that was killed.
 */
static int clean_all(struct inliner *in, struct links *links, struct error *err)
{
	enum { MOST = 8 };	/* one for each gotap that was killed */
	int i, r = 1;

	for (i = 0; i < MOST && r > 0; i++)
		r = clean_one(in, links, err);
	return r < 0 ? r : 0;
}

/*
 * clean_all(), again and again while another gotap has the lock (-EBUSY). A gotap that was
 * killed keeps it until its last process has ended, which takes CPU time; one that is recording
 * keeps it for longer than this waits.
 */
int inliner_clean(struct inliner *in, struct links *links, struct error *err)
{
	uint64_t end = now_ns() + DYING_NS;
	int r;

	while ((r = clean_all(in, links, err)) == -EBUSY && now_ns() < end)
		sleep_ns(DYING_NS / 50);
	return r;
}

int inliner_take_left(struct inliner *in, int timeout_ms, struct error *err)
{
	struct inject_hosts hosts = inliner_hosts(in);
	bool had[2] = { inline_left_has(&in->left, false), inline_left_has(&in->left, true) };
	int i, r = inline_left_take(&in->left, in->proc, &hosts, timeout_ms, &in->status->held,
				    err);

	for (i = 0; i < 2; i++) {
		if (!had[i])
			continue;
		if (inline_left_has(&in->left, i)) {
			inliner_note_left(in, i, err);
			continue;
		}
		in->status->earlier = i ? INLINE_EARLIER_TAKEN : in->status->earlier;
		clean_note_taken(in, i);
	}
	return r;
}

bool inliner_is_stopped(const struct inliner *in)
{
	enum stopped_by by = stopped_by(&in->mounts, &in->proc->fs, in->proc->pid);

	return by != STOPPED_NOT && by != STOPPED_GONE;
}

bool inliner_has_left(const struct inliner *in)
{
	return inline_left_has(&in->left, false) || inline_left_has(&in->left, true);
}

/*
 * Memory of an earlier gotap that could not be opened, or the calls of which could not be put back,
 * is looked for anew.
 */
static bool clean_has_unknown(const struct inliner *in)
{
	return in->status->earlier == INLINE_EARLIER_LEFT && !inline_left_has(&in->left, true);
}

void inliner_clean_again(struct inliner *in, struct links *links)
{
	struct error err;

	if (in->ended)
		return;
	in->ended = true;
	if (!process_is_gone(in->proc) && !inliner_is_stopped(in)) {
		if (inliner_has_left(in))
			inliner_take_left(in, INLINER_LEAVE_MS, &err);
		if (clean_has_unknown(in)) {
			in->status->earlier = INLINE_EARLIER_NONE;
			clean_all(in, links, &err);
		}
	}
	in->status->waits = inliner_has_left(in) && !process_is_gone(in->proc);
}

/* A look costs a few reads of /proc, an attempt holds threads of the program. */
void inliner_take_later(struct inliner *in)
{
	const uint64_t look = 250000000, most = 10000000000ULL;
	uint64_t pause = look;
	struct error err;

	while (inliner_has_left(in) && !process_is_gone(in->proc)) {
		if (inliner_is_stopped(in)) {
			sleep_ns(look);
			continue;
		}
		if (!inliner_take_left(in, INLINER_LEAVE_MS, &err))
			break;
		sleep_ns(pause);
		pause = pause < most ? 2 * pause : most;
	}
}
