// SPDX-License-Identifier: Apache-2.0
/* alive: the kernel marks the word when its owner ends, in whatever way, wherever others have it mapped. */
#define _GNU_SOURCE
#include "unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inline.h"
#include "inline/alive.h"

enum { SIZE = 1 << 20, AT = 4096 + 12 };

static int memfd;
static uint32_t *word;		/* in a mapping of our own */

static uint32_t *map_word(void)
{
	char *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);

	return m == MAP_FAILED ? NULL : (uint32_t *)(m + AT);
}

static void make_memory(void)
{
	memfd = memfd_create("test", MFD_CLOEXEC);
	CHECK(memfd >= 0 && !ftruncate(memfd, SIZE));
	word = map_word();
	CHECK(word);
}

enum end { BY_KILL, BY_EXIT, BY_EXEC, AFTER_END };

/* In a child, at another address than ours. */
static void own(enum end end, int ready)
{
	uint32_t *mine = map_word();

	if (!mine || mine == word || alive_begin(mine, NULL))
		_exit(1);
	if (end == AFTER_END)
		alive_end(mine);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	if (end == BY_EXEC)
		execl("/bin/true", "true", NULL);
	if (end == BY_KILL)
		for (;;)
			pause();
	_exit(0);
}

static void owner_ends(enum end end, uint32_t expected)
{
	int ready[2];
	char c;
	pid_t pid;

	CHECK(!pipe(ready));
	*word = 0;
	pid = fork();
	if (!pid)
		own(end, ready[1]);
	CHECK_EQ(read(ready[0], &c, 1), 1);
	if (end == BY_KILL) {
		CHECK_EQ(*word, pid);
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
	CHECK_EQ(*(volatile uint32_t *)word & (INLINE_OWNER_DIED | 0x3fffffff), expected);
	close(ready[0]);
	close(ready[1]);
}

static void killed(void) { owner_ends(BY_KILL, INLINE_OWNER_DIED); }
static void ended(void) { owner_ends(BY_EXIT, INLINE_OWNER_DIED); }
static void execs(void) { owner_ends(BY_EXEC, INLINE_OWNER_DIED); }
static void gave_it_up(void) { owner_ends(AFTER_END, 0); }

int main(void)
{
	make_memory();
	return unit_main((struct unit_case[]){ UNIT(killed), UNIT(ended), UNIT(execs), UNIT(gave_it_up), {0} });
}
