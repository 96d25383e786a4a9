// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_proc: bytes as the state file of every container runtime at once, and as
 * the cgroup file of a process. Whatever is found must be findable by its id.
 * Seeds: tests/fixtures/container.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/cgroup.h"
#include "proc/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *const files[] = {
	"/var/lib/docker/containers/" ID "/config.v2.json",
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/run/containers/storage/overlay-containers/" ID "/userdata/pidfile",
	"/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
	"/run/runc/web/state.json",
	"/run/crun/web/status",
	"/etc/docker/daemon.json",
};

static void make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

static void write_file(const char *root, const char *name, const uint8_t *data, size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	f = fopen(path, "w");
	if (!f) {
		make_folders(path);
		f = fopen(path, "w");
	}
	if (!f)
		abort();
	fwrite(data, 1, size, f);
	fclose(f);
}

/* One folder for the whole run, in memory; the process id tells jobs apart. */
static const char *root_folder(void)
{
	static char root[64];

	if (!*root)
		snprintf(root, sizeof(root), "/dev/shm/gotap-fuzz.%d", getpid());
	return root;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return remove(path);
}

__attribute__((destructor)) static void remove_folder(void)
{
	nftw(root_folder(), remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void look_up_all(const struct containers *cs)
{
	struct error err;
	size_t i;

	for (i = 0; i < cs->list.len; i++) {
		const struct container *c = *vec_at(&cs->list, struct container *, i);
		struct vec found = {0};

		free(container_label(c));
		if (containers_find(cs, c->id, &found, &err) == -ENOENT)
			abort();
		vec_free(&found);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct containers cs;
	struct cgroup_ref ref;
	size_t i;

	if (cgroup_parse(text, &ref) && strlen(ref.id) >= sizeof(ref.id))
		abort();
	cgroup_is_in(text, "/default/web");
	free(text);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_file(root_folder(), files[i], data, size);
	containers_load(&cs, root_folder());
	look_up_all(&cs);
	containers_free(&cs);
	return 0;
}
