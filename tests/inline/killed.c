// SPDX-License-Identifier: Apache-2.0
/* drive, killed: all that is done to the target is done by processes that are killed at each step of it. */
#define _GNU_SOURCE
#include "drive.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "inline/leftover.h"

static struct kill_plan {
	unsigned int at, steps;		/* at 0: never */
	enum who who;
	pid_t prober;
} *plan;

/* Until this process is killed the thread that it holds does not run, as if it got no processor. */
static void outlive_prober(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
	kill(plan->prober, SIGKILL);
	sleep_ns(100000000);
}

void kill_step(void)
{
	if (!plan || __atomic_add_fetch(&plan->steps, 1, __ATOMIC_SEQ_CST) != plan->at)
		return;
	if (plan->who == CHILD_LATER && getpid() != plan->prober)
		outlive_prober();
	if (plan->who != CHILD_ALONE)
		kill(0, SIGKILL);	/* they are a process group */
	if (getpid() != plan->prober)
		kill(getpid(), SIGKILL);
}

/* Does @work in a process that is killed at step @at. False: the work has fewer steps. */
static bool killed_at(unsigned int at, enum who who, void (*work)(void))
{
	int status;
	pid_t pid;

	plan->steps = 0;
	plan->who = who;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		plan->prober = getpid();
		plan->at = at;
		work();
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid: %s", strerror(errno));
	plan->at = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		die("it failed in the process that was to be killed at step %u", at);
	return who == CHILD_ALONE ? plan->steps >= at : WIFSIGNALED(status);
}

/*
 * Removes the memory and puts back the calls that a killed gotap left, as the next gotap does. False: there were none.
 * A killed gotap holds its lock until the kernel has ended its last process; then true, and the caller tries again.
 */
static bool clean_up(void)
{
	struct vec left = {0};
	struct injected in;
	struct error err;
	int r = leftover_find(&process, &hosts, text_lo, text_hi, -1, &in, &left, &err);

	if (r == -EBUSY || r == -EAGAIN)
		return true;
	if (r < 0)
		die("%s", err.text);
	if (r && left.len > PATCHES)
		die("%zu patches are left", left.len);
	if (r && left.len) {
		n_patches = left.len;
		memcpy(patches, left.data, left.len * sizeof(*patches));
		apply(true);
	}
	if (r)
		take_out(&in);
	vec_free(&left);
	return r;
}

enum { CLEAN_TRIES = 5000, CLEAN_PAUSE_NS = 2000000 };

/*
 * A thread that was let go with a system call just before the kill makes the call when it gets a processor, on a
 * loaded machine much later. So three searches in a row must find nothing, and the program must have nothing of
 * gotap's.
 */
static void clean_up_all(void)
{
	int quiet = 0, tries = 0;

	while (tries++ < CLEAN_TRIES) {
		quiet = clean_up() ? 0 : quiet + 1;
		if (quiet >= 3 && !count_ours())
			break;
		sleep_ns(CLEAN_PAUSE_NS);
	}
	check_clean();
}

static struct injected shared_in;	/* of work that begins with injected memory */

static void do_inject(void)
{
	struct injected in;
	struct error err;

	if (!try_inject(TIMEOUT_MS, &in, &err))
		set_control(&in, in.shared);
}

static void do_remove(void)
{
	struct error err;

	inject_remove(&process, &hosts, &shared_in, TIMEOUT_MS, &err);
}

static void do_patch(void)
{
	change_calls(false);
}

static void do_undo(void)
{
	change_calls(true);
}

static unsigned int kill_each_step(const char *name, unsigned int each, enum who who, void (*work)(void),
				   void (*before)(void), void (*after)(void))
{
	unsigned int at = 0, kills = 0, steps;
	bool killed;

	do {
		if (before)
			before();
		killed = killed_at(at += each, who, work);
		steps = plan->steps;
		if (after)
			after();
		clean_up_all();
		if (who == CHILD_LATER) {
			while (wait(NULL) > 0)
				;
			clean_up_all();
		}
		kills += killed;
	} while (killed);
	printf("%s: killed at %u of %u steps\n", name, kills, steps);
	return kills;
}

static void inject_before(void)
{
	inject(&shared_in);
	set_control(&shared_in, shared_in.shared);
}

static void forget(void)
{
	injected_close(&shared_in);
}

static void patch_before(void)
{
	struct gobin_func fn;

	inject_before();
	n_patches = 0;
	find_calls("runtime.casgstatus", SOME);
	if (gobin_func(bin, "runtime.casgstatus", &fn))
		die("no runtime.casgstatus");
	write_stubs(&shared_in, fn.addr + process.bias);
	attach();
}

static void undo_before(void)
{
	patch_before();
	do_patch();
}

/* The uprobes belong to this process, not to the killed one, as they do in gotap (attach/prober.h). */
static void patch_after(void)
{
	detach();
	forget();
}

void kill_steps(unsigned int each, enum who who)
{
	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan == MAP_FAILED)
		die("no memory");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!kill_each_step("inject", each, who, do_inject, NULL, NULL) ||
	    !kill_each_step("remove", each, who, do_remove, inject_before, forget))
		die("no kill came");
	if (who == ALL && (!kill_each_step("patch", each, ALL, do_patch, patch_before, patch_after) ||
			   !kill_each_step("undo", each, ALL, do_undo, undo_before, patch_after)))
		die("no kill came");
}
