// SPDX-License-Identifier: Apache-2.0
/* memory_usage: which limit has the least room, and the count of kills, of both versions of cgroups. */
#define _GNU_SOURCE
#include "proc/memory_usage.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "unit.h"

#define MIB (1ULL << 20)

static char top[64];		/* mount point of a cgroup file system that is none, and folder of a proc */
static struct memory_usage_files files;

static void put_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	CHECK(!mkdir(path, 0755));
}

/* The process 7 in the cgroup /a/b; the machine has 1000 MiB, of which 600 are used. */
static void begin(bool v2)
{
	char line[256];

	snprintf(top, sizeof(top), "/tmp/gotap-memory.XXXXXX");
	CHECK(mkdtemp(top) != NULL);
	make_folder("a");
	make_folder("a/b");
	make_folder("7");
	put_file("7/cgroup", v2 ? "0::/a/b\n" : "4:memory:/a/b\n3:cpu:/\n");
	put_file("7/statm", "9000 3000 1000 1 0 500 0\n");
	put_file("meminfo", "MemTotal:        1024000 kB\nMemFree:  1 kB\nMemAvailable:     409600 kB\n");
	snprintf(line, sizeof(line), "36 35 0:30 / %s rw shared:9 - %s x %s\n", top, v2 ? "cgroup2" : "cgroup",
		 v2 ? "rw" : "rw,memory");
	put_file("mountinfo", line);
}

static struct memory_usage usage(void)
{
	struct procfs fs = { .own = true };
	struct memory_usage ret;
	char info[128];

	snprintf(fs.dir, sizeof(fs.dir), "%s", top);
	snprintf(info, sizeof(info), "%s/mountinfo", top);
	memory_usage_open(&files, &fs, 7, info);
	memory_usage_read(&files, &ret);
	memory_usage_close(&files);
	return ret;
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", top);
	CHECK(!system(command));
}

static void version_2(void)
{
	struct memory_usage u;

	begin(true);
	put_file("a/b/memory.max", "max\n");
	put_file("a/b/memory.current", "1048576\n");
	put_file("a/b/memory.events", "low 0\nhigh 0\nmax 5\noom 2\noom_kill 3\noom_group_kill 9\n");
	u = usage();
	CHECK(u.of_machine);
	CHECK_EQ(u.limit, 1000 * MIB);
	CHECK_EQ(u.used, 600 * MIB);
	CHECK(u.has_kills);
	CHECK_EQ(u.kills, 3);
	CHECK_EQ(u.anonymous, 2000 * 4096);
	CHECK_STR(files.cgroup, "/a/b");

	/* that of the parent has less room than that of the machine, its own then less than that */
	put_file("a/memory.max", "104857600\n");
	put_file("a/memory.current", "94371840\n");
	u = usage();
	CHECK(!u.of_machine);
	CHECK_EQ(u.up, 1);
	CHECK_EQ(u.limit, 100 * MIB);
	CHECK_EQ(u.used, 90 * MIB);
	put_file("a/b/memory.max", "2097152\n");
	u = usage();
	CHECK_EQ(u.up, 0);
	CHECK_EQ(u.limit, 2 * MIB);
	CHECK_EQ(u.used, MIB);
	put_file("a/b/memory.stat", "anon 5\ninactive_file 524288\nactive_file 7\n");
	CHECK_EQ(usage().used, MIB / 2);
	put_file("a/b/memory.stat", "inactive_file 9999999\n");
	CHECK_EQ(usage().used, 0);
	end();
}

static void version_1(void)
{
	struct memory_usage u;

	begin(false);
	put_file("a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("a/b/memory.usage_in_bytes", "1048576\n");
	put_file("a/b/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
	u = usage();
	CHECK(u.of_machine);
	CHECK(u.has_kills);
	CHECK_EQ(u.kills, 4);
	put_file("a/b/memory.limit_in_bytes", "1048576\n");
	u = usage();
	CHECK(!u.of_machine);
	CHECK_EQ(u.limit, MIB);
	CHECK_EQ(u.used, MIB);

	/* before Linux 4.13 */
	put_file("a/b/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
	u = usage();
	CHECK(!u.has_kills);
	end();
}

/* Files that there are not, or that have something else in them. */
static void files_that_are_missing(void)
{
	struct memory_usage u;

	begin(true);
	put_file("a/b/memory.max", "");
	put_file("a/b/memory.current", "x");
	put_file("7/statm", "12");
	put_file("meminfo", "nothing\n");
	u = usage();
	CHECK_EQ(u.limit, 0);
	CHECK_EQ(u.anonymous, 0);
	CHECK(!u.has_kills);
	end();
	snprintf(top, sizeof(top), "/nowhere");
	u = usage();
	CHECK_EQ(u.limit, 0);
	CHECK_STR(files.cgroup, "");
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(version_2), UNIT(version_1), UNIT(files_that_are_missing), {0} });
}
