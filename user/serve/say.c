// SPDX-License-Identifier: Apache-2.0
/* say: the lines of `gotap serve` on stderr, from any thread. */
#include <poll.h>
#include <stdio.h>

#include "serve/internal.h"

/* Would a write of a line wait, as a full pipe has no reader? A line is shorter than PIPE_BUF. */
static bool say_would_wait(FILE *f)
{
	struct pollfd fd = { .fd = fileno(f), .events = POLLOUT };

	return poll(&fd, 1, 0) <= 0;
}

void serve_say(struct server *s, const char *line)
{
	flockfile(stderr);
	if (say_would_wait(stderr)) {
		s->unsaid++;
	} else {
		if (s->unsaid)
			fprintf(stderr,
				"gotap: %u lines before this one are missing here, since "
				"stderr was not read\n",
				s->unsaid);
		s->unsaid = 0;
		fputs(line, stderr);
	}
	funlockfile(stderr);
}
