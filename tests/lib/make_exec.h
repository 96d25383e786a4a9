/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_exec: for libraries that are preloaded into gotap and make the program that it records exec another one at a
 * moment that they choose. The program (tests/prog/exec.go -signal) execs on SIGUSR1.
 */
#ifndef GOTAP_TESTS_MAKE_EXEC_H
#define GOTAP_TESTS_MAKE_EXEC_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An empty text if the link cannot be read, as in the middle of an exec. */
static void read_exe(const char *pid, char ret[512])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	n = readlink(path, ret, 511);
	ret[n < 0 ? 0 : n] = 0;
}

/* Returns when process @pid runs another file. */
static void make_it_exec(const char *pid)
{
	char before[512], now[512];

	read_exe(pid, before);
	kill(atoi(pid), SIGUSR1);
	do {
		usleep(1000);
		read_exe(pid, now);
	} while (!now[0] || !strcmp(before, now));
}

#endif
