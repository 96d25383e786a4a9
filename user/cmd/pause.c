// SPDX-License-Identifier: Apache-2.0
/* pause: see pause.h. */
#define _GNU_SOURCE
#include "cmd/pause.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"

static const int pause_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { PAUSE_SIGNALS = sizeof(pause_signals) / sizeof(pause_signals[0]) };

static volatile sig_atomic_t pause_ended;
static struct sigaction pause_before[PAUSE_SIGNALS];
static bool pause_catches;

static void pause_on_signal(int signal)
{
	pause_ended = signal;
}

void pause_catch(void)
{
	struct sigaction sa = { .sa_handler = pause_on_signal };
	size_t i;

	for (i = 0; i < PAUSE_SIGNALS && !pause_catches; i++)
		sigaction(pause_signals[i], &sa, &pause_before[i]);
	pause_catches = true;
}

void pause_release(void)
{
	size_t i;

	for (i = 0; i < PAUSE_SIGNALS && pause_catches; i++)
		sigaction(pause_signals[i], &pause_before[i], NULL);
	pause_catches = false;
}

const volatile sig_atomic_t *pause_signal(void)
{
	return &pause_ended;
}

bool pause_for(double seconds)
{
	enum { LOOK_NS = 20000000 };
	uint64_t until = now_ns() + (uint64_t)(seconds * 1e9), left;

	while (!pause_ended && now_ns() < until) {
		left = until - now_ns();
		sleep_ns(left < LOOK_NS ? left : LOOK_NS);
	}
	return !pause_ended;
}
