// SPDX-License-Identifier: Apache-2.0
/* parent: a child of gotap ends with its parent, also if the parent has ended before the child asks for the signal. */
#include "base/parent.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void other_words_are_none(void)
{
	CHECK(!parent_take("record"));
	CHECK(!parent_take("--parent"));
	CHECK(!parent_take(""));
}

/* The exit status: 0 if @option makes the kernel send SIGTERM at the end of the parent. */
static int take(const char *option)
{
	int sig = 0;

	if (!parent_take(option))
		return 2;
	prctl(PR_GET_PDEATHSIG, &sig);
	return sig == SIGTERM ? 0 : 3;
}

static int status_of_child(const char *option)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(take(option));
	waitpid(pid, &status, 0);
	return status;
}

static void its_end_is_a_signal(void)
{
	char *option = parent_option();

	CHECK_EQ(status_of_child(option), 0);
	free(option);
}

static void one_that_has_ended_is_noticed(void)
{
	CHECK_EQ(WEXITSTATUS(status_of_child("--parent=999999999")), 1);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(other_words_are_none), UNIT(its_end_is_a_signal),
					       UNIT(one_that_has_ended_is_noticed), {0} });
}
