// SPDX-License-Identifier: Apache-2.0
/* waiting: see waiting.h. */
#include "cmd/record/waiting.h"

#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/record/signals.h"

bool waiting_begin(const struct record_options *o, pid_t pid, int done)
{
	if (o->detach) {
		if (!o->quiet && !o->json)
			fprintf(stderr, "gotap: process %d goes on\n", pid);
		return false;
	}
	signals_begin_wait(done);
	/* Also with --quiet: without it a user sees a gotap that hangs. */
	if (!o->json)
		fprintf(stderr,
			"gotap: the recording is over; waiting for process %d to end (--detach "
			"would leave it running)\n",
			pid);
	return true;
}

int waiting_give_up(pid_t pid)
{
	fprintf(stderr, "gotap: process %d goes on\n", pid);
	return EXIT_LAUNCHER;
}
