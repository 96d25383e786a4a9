// SPDX-License-Identifier: Apache-2.0
/* Is a cgroup frozen: both versions, below made-up mounts. */
#define _GNU_SOURCE
#include "proc/freezer.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/cgroup.h"
#include "unit.h"

static char root[] = "/tmp/freezer.XXXXXX";

static const char *under_root(const char *name)
{
	static char path[4][256];
	static int next;
	char *ret = path[next++ % 4];

	snprintf(ret, 256, "%s/%s", root, name);
	return ret;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(under_root(name), "w");

	CHECK(f != NULL);
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void make_root(void)
{
	static const char *const folders[] = { "v1", "v1/box", "v2", "v2/app", "v2/app/inner" };
	char text[1024];
	size_t i;

	CHECK(mkdtemp(root) != NULL);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		CHECK(!mkdir(under_root(folders[i]), 0700));
	snprintf(text, sizeof(text),
		 "20 1 0:1 / /proc rw - proc proc rw\n"
		 "36 35 0:30 / %s/v1cpu rw - cgroup cgroup rw,cpu\n"
		 "37 35 0:31 /outer %s/v1 rw,relatime shared:9 - cgroup cgroup rw,freezer\n"
		 "38 35 0:32 / %s/v2 rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate\n",
		 root, root, root);
	put("mountinfo", text);
}

static bool frozen(const char *cgroup)
{
	struct freezer_mounts m;
	bool ret;

	freezer_find(&m, under_root("mountinfo"));
	CHECK_EQ(m.mounts.all.len, 3);
	ret = freezer_is_frozen(&m, cgroup);
	freezer_free(&m);
	return ret;
}

static void version_1(void)
{
	put("v1/box/freezer.state", "FROZEN\n");
	CHECK(frozen("4:cpu:/x\n3:net_cls,freezer:/outer/box\n0::/\n"));
	CHECK(!frozen("4:cpu:/outer/box\n3:freezer:/outer\n"));
	CHECK(!frozen("3:freezer:/outerx/box\n"));
	CHECK(!frozen("3:freezerx:/outer/box\n"));
	CHECK(!frozen("3:freezer:/box\n"));	/* not below what is mounted */
	put("v1/box/freezer.state", "FREEZING\n");
	CHECK(!frozen("3:freezer:/outer/box\n"));
	put("v1/box/freezer.state", "THAWED\n");
	CHECK(!frozen("3:freezer:/outer/box\n"));
}

static void version_2(void)
{
	put("v2/app/inner/cgroup.events", "populated 1\nfrozen 1\n");
	CHECK(frozen("0::/app/inner\n"));
	CHECK(frozen("12:cpuset:/\n0::/app/inner\n"));
	CHECK(!frozen("0::/app\n"));
	CHECK(!frozen("1:name=systemd:/app/inner\n0::/\n"));
	put("v2/app/inner/cgroup.events", "populated 1\nfrozen 0\n");
	CHECK(!frozen("0::/app/inner\n"));
}

static void nothing_is_mounted(void)
{
	struct freezer_mounts m;

	freezer_find(&m, under_root("none"));
	CHECK(!freezer_is_frozen(&m, "0::/app/inner\n"));
	CHECK(!freezer_is_frozen(&m, "nonsense"));
	freezer_free(&m);
}

static void paths(void)
{
	static const char text[] = "3:cpu,freezer:/a b/c\n1:name=systemd:/d\n0::/e:f\n";
	char path[16];

	CHECK(cgroup_path(text, "freezer", path, sizeof(path)));
	CHECK_STR(path, "/a b/c");
	CHECK(cgroup_path(text, "", path, sizeof(path)));
	CHECK_STR(path, "/e:f");
	CHECK(!cgroup_path(text, "memory", path, sizeof(path)));
	CHECK(!cgroup_path(text, "freezer", path, 4));
	CHECK(!cgroup_path("", "", path, sizeof(path)));
}

int main(void)
{
	char command[64];
	int r;

	make_root();
	r = unit_main((struct unit_case[]){
		UNIT(version_1), UNIT(version_2), UNIT(nothing_is_mounted), UNIT(paths), {0} });
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command) ? 1 : r;
}
