// SPDX-License-Identifier: Apache-2.0
/* cgroup_memory: limits of a cgroup and of those above it, of both versions, and which process is charged where. */
#define _GNU_SOURCE
#include "proc/cgroup_memory.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "unit.h"

static char top[64];		/* the mount point of a file system that is none */
static struct cgroup_mounts mounts;

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

	snprintf(path, sizeof(path), "%s%s", top, name);
	CHECK(!mkdir(path, 0755));
	snprintf(path, sizeof(path), "%s/cgroup.procs", name + (*name == '/'));
	put_file(path, "1\n");
}

/* A mount at a new folder, with the cgroups /a and /a/b. */
static void mount_at(const char *type, const char *options)
{
	char info[128], line[256];
	FILE *f;

	snprintf(top, sizeof(top), "/tmp/gotap-cgroup.XXXXXX");
	CHECK(mkdtemp(top) != NULL);
	make_folder("/a");
	make_folder("/a/b");
	snprintf(info, sizeof(info), "%s/mountinfo", top);
	f = fopen(info, "w");
	snprintf(line, sizeof(line), "36 35 0:30 / %s rw shared:9 - %s %s %s\n", top, type, type, options);
	CHECK(f && fputs(line, f) >= 0 && !fclose(f));
	cgroup_mounts_find(&mounts, info);
}

static void unmount(void)
{
	char command[128];

	cgroup_mounts_free(&mounts);
	snprintf(command, sizeof(command), "rm -r %s", top);
	CHECK(!system(command));
}

static enum cgroup_room room(const char *text, uint64_t bytes, const char *other, uint64_t other_bytes, struct cgroup_short *ret)
{
	struct cgroup_need need = { text, bytes, other, other_bytes };

	return cgroup_memory_room(&mounts, &need, ret);
}

static void version_1(void)
{
	struct cgroup_short s;

	mount_at("cgroup", "rw,memory");
	put_file("a/b/memory.limit_in_bytes", "1000000\n");
	put_file("a/b/memory.usage_in_bytes", "900000\n");
	put_file("a/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("a/memory.usage_in_bytes", "900000\n");
	CHECK_EQ(room("4:memory:/a/b\n", 100000, "4:memory:/\n", 1000, &s), CGROUP_ROOM);
	CHECK_EQ(room("4:memory:/a/b\n", 100001, "4:memory:/\n", 1000, &s), CGROUP_NO_ROOM);
	CHECK_STR(s.file, "b/memory.limit_in_bytes");
	CHECK_EQ(s.room, 100000);
	CHECK_EQ(s.needs, 100001);
	/* pages of files that were not used lately are given back first */
	put_file("a/b/memory.stat", "cache 1\ninactive_file 7\ntotal_cache 9\ntotal_inactive_file 500000\n");
	CHECK_EQ(room("4:memory:/a/b\n", 600000, "4:memory:/\n", 1000, &s), CGROUP_ROOM);
	CHECK_EQ(room("4:memory:/a/b\n", 600001, "4:memory:/\n", 1000, &s), CGROUP_NO_ROOM);
	/* page tables count by themselves, too */
	put_file("a/b/memory.kmem.limit_in_bytes", "5000\n");
	put_file("a/b/memory.kmem.usage_in_bytes", "4000\n");
	CHECK_EQ(room("4:memory:/a/b\n", 1001, "4:memory:/\n", 0, &s), CGROUP_NO_ROOM);
	CHECK_STR(s.file, "b/memory.kmem.limit_in_bytes");
	unmount();
}

static void version_2(void)
{
	struct cgroup_short s;

	mount_at("cgroup2", "rw,nsdelegate");
	put_file("a/b/memory.max", "max\n");
	put_file("a/b/memory.high", "max\n");
	put_file("a/b/memory.current", "900000\n");
	CHECK_EQ(room("0::/a/b\n", 1ULL << 40, "0::/\n", 0, &s), CGROUP_ROOM);
	/* a limit above it */
	put_file("a/memory.max", "1000000\n");
	put_file("a/memory.current", "950000\n");
	put_file("a/memory.stat", "anon 1\nfile 2\ninactive_file 0\n");
	CHECK_EQ(room("0::/a/b\n", 50000, "0::/\n", 0, &s), CGROUP_ROOM);
	CHECK_EQ(room("0::/a/b\n", 50001, "0::/\n", 0, &s), CGROUP_NO_ROOM);
	CHECK_STR(s.file, "a/memory.max");
	/* whoever is above memory.high is slowed down */
	put_file("a/b/memory.high", "900100\n");
	CHECK_EQ(room("0::/a/b\n", 101, "0::/\n", 0, &s), CGROUP_NO_ROOM);
	CHECK_STR(s.file, "b/memory.high");
	unmount();
}

static void gotap_in_the_same_cgroup_or_below_the_same_limit(void)
{
	struct cgroup_short s;

	mount_at("cgroup2", "rw");
	put_file("a/memory.max", "1000000\n");
	put_file("a/memory.current", "500000\n");
	CHECK_EQ(room("0::/a/b\n", 1000, "0::/c\n", 600000, &s), CGROUP_ROOM);
	CHECK_EQ(room("0::/a/b\n", 1000, "0::/ab\n", 600000, &s), CGROUP_ROOM);
	CHECK_EQ(room("0::/a/b\n", 1000, "0::/a\n", 600000, &s), CGROUP_NO_ROOM);
	CHECK_EQ(s.needs, 601000);
	CHECK_EQ(room("0::/a/b\n", 1000, "0::/a/c\n", 600000, &s), CGROUP_NO_ROOM);
	unmount();
}

static void limits_that_cannot_be_seen(void)
{
	struct cgroup_short s;

	mount_at("cgroup", "rw,freezer");
	CHECK_EQ(room("4:memory:/a/b\n", 1, "4:memory:/\n", 1, &s), CGROUP_UNSEEN);
	CHECK_EQ(room("4:memory:/\n0::/\n", 1, "4:memory:/\n", 1, &s), CGROUP_ROOM);
	unmount();
	/* a cgroup that is there, and has no such controller */
	mount_at("cgroup2", "rw");
	CHECK_EQ(room("0::/a/b\n", 1, "0::/\n", 1, &s), CGROUP_ROOM);
	CHECK_EQ(room("0::/not/here\n", 1, "0::/\n", 1, &s), CGROUP_UNSEEN);
	unmount();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(version_1), UNIT(version_2), UNIT(gotap_in_the_same_cgroup_or_below_the_same_limit),
		UNIT(limits_that_cannot_be_seen), {0} });
}
