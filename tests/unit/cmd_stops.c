// SPDX-License-Identifier: Apache-2.0
/*
 * stops: a program that a debugger traces counts as stopped; one that gotap traces, or that nobody traces any more,
 * does not.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/record/stops.h"

/* Writes a file of a /proc with process 10, and process 20, which may be its tracer. */
static void put(const struct procfs *fs, const char *what, const char *text)
{
	char path[PROCFS_PATH];
	FILE *f;

	procfs_path(fs, 0, what, path);
	f = fopen(path, "w");
	CHECK(f);
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void make(struct procfs *fs)
{
	static const char *const dirs[] = { "10", "10/task", "10/task/10", "20" };
	char path[PROCFS_PATH];
	size_t i;

	*fs = (struct procfs){ .dir = "/tmp/gotap-stops-XXXXXX" };
	CHECK(mkdtemp(fs->dir));
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		procfs_path(fs, 0, dirs[i], path);
		CHECK(!mkdir(path, 0700));
	}
}

static void forget(const struct procfs *fs)
{
	static const char *const names[] = { "10/task/10/status", "10/task/10", "10/task", "10/status", "10", "20/status",
					     "20", "" };
	char path[PROCFS_PATH];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		procfs_path(fs, 0, names[i], path);
		CHECK(!remove(path));
	}
}

static uint64_t stops_of(int tracer, const char *name)
{
	struct stops s = {0};
	char status[300];
	struct procfs fs;
	uint64_t n;

	make(&fs);
	snprintf(status, sizeof(status), "Name:\tp\nState:\tt (tracing stop)\nTgid:\t10\nPid:\t10\nTracerPid:\t%d\n"
		 "Uid:\t0\t0\t0\t0\nNSpid:\t10\n", tracer);
	put(&fs, "10/status", status);
	put(&fs, "10/task/10/status", status);
	snprintf(status, sizeof(status), "Name:\t%s\nState:\tS (sleeping)\nTgid:\t20\nPid:\t20\nTracerPid:\t0\n"
		 "Uid:\t0\t0\t0\t0\nNSpid:\t20\n", name);
	put(&fs, "20/status", status);
	stops_begin(&s, &fs, 10, false);
	n = s.count;
	stops_free(&s);
	forget(&fs);
	return n;
}

static void only_a_debugger_stops(void)
{
	CHECK(stops_of(20, "dlv") == 1);
	CHECK(stops_of(20, "gotap-catch") == 0);
	CHECK(stops_of(0, "dlv") == 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(only_a_debugger_stops), {0} });
}
