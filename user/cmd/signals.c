// SPDX-License-Identifier: Apache-2.0
/* signals: see signals.h. */
#define _GNU_SOURCE
#include "cmd/signals.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"

static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

static const uint64_t COPY_NS = 2000000000;

/* Changed by the handler only, and by signals_begin_wait() with the signals blocked. */
static volatile sig_atomic_t step;
static volatile uint64_t last_ns;
static volatile bool for_command;	/* the next SIGINT or SIGQUIT is the program's */

static struct sigaction before[NSIG];	/* what gotap found */
static bool caught[NSIG];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool is_from_keyboard(int sig)
{
	return sig == SIGINT || sig == SIGQUIT;
}

static void end_at_once(void)
{
	static const char text[] = "gotap: ended by a third signal; what was written is in the .partial file\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

static void on_end(int sig, siginfo_t *info, void *context)
{
	uint64_t now = now_ns();
	bool copy = last_ns && now - last_ns < COPY_NS;

	if (before[sig].sa_handler == SIG_IGN && info->si_code == SI_KERNEL)
		return;
	if (is_from_keyboard(sig) && for_command) {
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

	for_command = launched;
	for (i = 0; i < ENDS; i++)
		sigaddset(&end.sa_mask, ends[i]);
	for (i = 0; i < ENDS; i++)
		catch_one(ends[i], &end);
	catch_one(SIGPIPE, &none);
}

void signals_restore(void)
{
	int sig;

	limits_restore();
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

void signals_begin_wait(void)
{
	sigset_t block, old;
	int i;

	sigemptyset(&block);
	for (i = 0; i < ENDS; i++)
		sigaddset(&block, ends[i]);
	sigprocmask(SIG_BLOCK, &block, &old);
	step = 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
}
