// SPDX-License-Identifier: Apache-2.0
/* The command of --exec: for which names it runs, how many it misses, its priority and process group. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/priority.h"
#include "flight/exec.h"
#include "unit.h"

static char folder[] = "/tmp/gotap-exec.XXXXXX", said[1024];

static void on_say(void *ctx, const char *text)
{
	strcat(strcat(said, text), "\n");
}

static struct exec *begin(const char *command)
{
	struct error err = {0};
	struct exec *e = NULL;

	said[0] = 0;
	CHECK_EQ(exec_new(&e, command, NULL, on_say, NULL, &err), 0);
	return e;
}

/* The first line of file @name; "": there is no such file, or it is empty. */
static const char *text_of(const char *name)
{
	static char text[100];
	FILE *f = fopen(name, "r");

	text[0] = 0;
	if (f && !fgets(text, sizeof(text), f))
		text[0] = 0;
	if (f)
		fclose(f);
	return text;
}

/* The first command runs until the pipe "gate" is opened; exec_free() gives those of the two other names no time. */
static void names_that_wait_at_the_end_are_counted(void)
{
	struct exec *e = begin("echo \"$1\" >started; cat gate >/dev/null; :");
	int gate;

	CHECK_EQ(mkfifo("gate", 0600), 0);
	exec_run(e, "first");
	exec_run(e, "second");
	exec_run(e, "third");
	while (!*text_of("started"))
		usleep(1000);
	CHECK_STR(text_of("started"), "first\n");
	CHECK_EQ(exec_missed(e), 0);
	CHECK_EQ(exec_free(e, 0), 2);
	CHECK(strstr(said, "still runs") != NULL);
	CHECK(strstr(said, "does not run for all of them") != NULL);
	gate = open("gate", O_WRONLY);
	close(gate);
}

static void all_run_if_there_is_time(void)
{
	struct exec *e = begin("echo >>lines; :");
	struct stat st = {0};
	int i;

	for (i = 0; i < 3; i++)
		exec_run(e, "name");
	CHECK_EQ(exec_free(e, 60000000000), 0);
	CHECK_EQ(stat("lines", &st), 0);
	CHECK_EQ(st.st_size, 3);
	CHECK_STR(said, "");
}

/* Without CAP_SYS_NICE gotap's priority is not raised, and the command has the user's all the same. */
static void the_priority_is_that_of_the_user(void)
{
	int first = getpriority(PRIO_PROCESS, 0);
	struct exec *e;

	priority_raise(first - 5);
	if (!geteuid())
		CHECK_EQ(getpriority(PRIO_PROCESS, 0), first - 5);
	priority_raise(first - 7);	/* the priority before the first raise is the one that counts */
	e = begin("nice >priority; :");
	exec_run(e, "name");
	CHECK_EQ(exec_free(e, 60000000000), 0);
	CHECK_EQ(atoi(text_of("priority")), first);
}

/* Ctrl-C at the terminal signals gotap's process group: the recording ends, and waits for the command, which goes on. */
static void it_has_a_process_group_of_its_own(void)
{
	struct exec *e = begin("cut -d' ' -f5 /proc/$$/stat >group; :");
	int group;

	exec_run(e, "name");
	CHECK_EQ(exec_free(e, 60000000000), 0);
	group = atoi(text_of("group"));
	CHECK(group > 0 && group != getpgrp());
}

int main(void)
{
	char command[64];
	int failures;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	failures = unit_main((struct unit_case[]){ UNIT(names_that_wait_at_the_end_are_counted),
		UNIT(all_run_if_there_is_time), UNIT(the_priority_is_that_of_the_user),
		UNIT(it_has_a_process_group_of_its_own), {0} });
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command) ? 1 : failures;
}
