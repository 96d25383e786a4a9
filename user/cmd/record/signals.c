// SPDX-License-Identifier: Apache-2.0
/* signals: see signals.h. */
#define _GNU_SOURCE
#include "cmd/record/signals.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "cmd/cmd.h"

static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

static const uint64_t COPY_NS = 2000000000;

/* Changed by the handler only, and by signals_begin_wait() with the signals blocked. */
static volatile sig_atomic_t step;
static volatile uint64_t last_ns;
static volatile bool for_command;	/* the next SIGINT or SIGQUIT is the program's */
static volatile bool waiting;		/* the recording is over */
static volatile bool partial_stays;	/* there is an unfinished file, which a third step leaves */

static uint64_t snapshot_ns;	/* when SIGUSR1 came, 0: it did not; the handler writes it */
static bool snapshot_was_blocked;	/* as gotap found it */

static int status_of_third = EXIT_FAIL;

static struct sigaction before[NSIG];	/* what gotap found */
static bool caught[NSIG];

static bool is_from_keyboard(int sig)
{
	return sig == SIGINT || sig == SIGQUIT;
}

static void end_at_once(void)
{
	const char *text = partial_stays ?
		"gotap: ended by a third signal; what was written is in the .partial file\n" :
		"gotap: ended by a third signal\n";

	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(status_of_third);
	_exit(status_of_third);
}

static void on_end(int sig, siginfo_t *info, void *context)
{
	uint64_t now = now_ns();
	bool copy = last_ns && now - last_ns < COPY_NS;

	if (before[sig].sa_handler == SIG_IGN && info->si_code == SI_KERNEL)
		return;
	if (is_from_keyboard(sig) && for_command && !(waiting && info->si_code != SI_KERNEL)) {
		for_command = false;
		last_ns = now;
		return;
	}
	if (copy && (step || is_from_keyboard(sig)))
		return;
	last_ns = now;
	if (++step > 2)
		end_at_once();
}

/* A write that fails says more than a signal, and to handle it is not passed on by exec. */
static void let_be(int sig)
{
}

static void catch_one(int sig, const struct sigaction *sa)
{
	sigaction(sig, NULL, &before[sig]);
	if (before[sig].sa_handler == SIG_IGN && !is_from_keyboard(sig))
		return;
	caught[sig] = !sigaction(sig, sa, NULL);
}

void signals_catch(bool launched)
{
	struct sigaction end = { .sa_sigaction = on_end, .sa_flags = SA_SIGINFO };
	struct sigaction none = { .sa_handler = let_be, .sa_flags = SA_RESTART };
	int i;

	now_ns();	/* its first call reads a file, which a handler may not do */
	for_command = launched;
	status_of_third = launched ? EXIT_LAUNCHER : EXIT_FAIL;
	for (i = 0; i < ENDS; i++)
		sigaddset(&end.sa_mask, ends[i]);
	for (i = 0; i < ENDS; i++)
		catch_one(ends[i], &end);
	catch_one(SIGPIPE, &none);
}

static void on_snapshot(int sig)
{
	__atomic_store_n(&snapshot_ns, now_ns(), __ATOMIC_RELAXED);
}

/* Blocks or unblocks SIGUSR1, and returns whether it was blocked before. */
static bool mask_snapshot(int how)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(how, &set, &old);
	return sigismember(&old, SIGUSR1) == 1;
}

void signals_catch_snapshot(void)
{
	struct sigaction sa = { .sa_handler = on_snapshot, .sa_flags = SA_RESTART };

	now_ns();
	catch_one(SIGUSR1, &sa);
	snapshot_was_blocked = mask_snapshot(SIG_UNBLOCK);
}

void signals_block_snapshot(void)
{
	mask_snapshot(SIG_BLOCK);
}

uint64_t signals_snapshot(void)
{
	return __atomic_exchange_n(&snapshot_ns, 0, __ATOMIC_RELAXED);
}

void signals_restore(void)
{
	int sig;

	limits_restore();
	if (snapshot_was_blocked)
		mask_snapshot(SIG_BLOCK);
	for (sig = 1; sig < NSIG; sig++)
		if (caught[sig])
			sigaction(sig, &before[sig], NULL);
}

bool signals_stop(void)
{
	return step > 0;
}

const volatile sig_atomic_t *signals_step(void)
{
	return &step;
}

bool signals_give_up(void)
{
	return step > 1;
}

void signals_partial_stays(bool stays)
{
	partial_stays = stays;
}

void signals_begin_wait(int done)
{
	sigset_t block, old;
	int i;

	sigemptyset(&block);
	for (i = 0; i < ENDS; i++)
		sigaddset(&block, ends[i]);
	sigprocmask(SIG_BLOCK, &block, &old);
	waiting = true;
	step -= done;
	sigprocmask(SIG_SETMASK, &old, NULL);
}
