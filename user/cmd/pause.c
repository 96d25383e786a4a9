// SPDX-License-Identifier: Apache-2.0
/* pause: see pause.h. */
#define _GNU_SOURCE
#include "cmd/pause.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"

static volatile sig_atomic_t pause_ended;

static void pause_on_signal(int signal)
{
	pause_ended = signal;
}

void pause_catch(void)
{
	struct sigaction sa = { .sa_handler = pause_on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
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
