// SPDX-License-Identifier: Apache-2.0
/* threads: see threads.h. */
#include "stacks/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/corefile.h"

static bool threads_read_line(const struct process *p, uint32_t tid, const char *file,
			      struct buf *out)
{
	char path[64];

	out->len = 0;
	snprintf(path, sizeof(path), "task/%" PRIu32 "/%s", tid, file);
	return !procfs_read(&p->fs, p->pid, path, 8192, out);
}

/* Parses a line: its last two words are stack pointer and pc; "running" is one word. */
static bool parse_place(const char *line, struct thread_place *ret)
{
	long number;
	int n = 0;

	if (sscanf(line, "%ld %n", &number, &n) != 1 || !n)
		return false;
	if (number == -1)
		return sscanf(line + n, "%" SCNx64 " %" SCNx64, &ret->sp, &ret->pc) == 2;
	return sscanf(line + n, "%*x %*x %*x %*x %*x %*x %" SCNx64 " %" SCNx64, &ret->sp,
		      &ret->pc) == 2;
}

static bool parse_switches(const char *status, uint64_t *ret)
{
	const char *own = strstr(status, "\nvoluntary_ctxt_switches:");
	const char *other = strstr(status, "\nnonvoluntary_ctxt_switches:");
	uint64_t a, b;

	if (!own || !other || sscanf(strchr(own, ':') + 1, "%" SCNu64, &a) != 1 ||
	    sscanf(strchr(other, ':') + 1, "%" SCNu64, &b) != 1)
		return false;
	*ret = a + b;
	return true;
}

static bool threads_of_core(const struct corefile *core, uint32_t tid, struct thread_place *ret)
{
	const struct corefile_thread *t = corefile_thread(core, tid);

	if (!t)
		return false;
	*ret = (struct thread_place){ .pc = t->pc, .sp = t->sp, .link = t->link };
	return true;
}

bool thread_place(const struct process *p, uint32_t tid, struct thread_place *ret)
{
	struct buf text = {0};
	bool ok;

	if (p->core)
		return threads_of_core(p->core, tid, ret);
	ok = threads_read_line(p, tid, "syscall", &text) && parse_place((char *)text.data, ret) &&
	     threads_read_line(p, tid, "status", &text) &&
	     parse_switches((char *)text.data, &ret->switches);
	buf_free(&text);
	return ok;
}

bool thread_stayed(const struct thread_place *before, const struct thread_place *after)
{
	return before->pc == after->pc && before->sp == after->sp &&
	       before->switches == after->switches;
}
