// SPDX-License-Identifier: Apache-2.0
/*
 * state_runc: runc's ID/state.json and crun's ID/status, of containers that a user started directly
 * and of those that another runtime started through them. Both files have the exact cgroup and the
 * start time of the first process.
 */
#include "proc/state.h"

#include <string.h>

#include "base/cleanup.h"
#include "proc/json.h"

static const char *const runc_files[] = {
	"/run/runc/*/state.json",
	"/run/containerd/runc/*/*/state.json",
	"/run/docker/runtime-runc/*/*/state.json",
	"/run/user/*/runc/*/state.json",
};

static const char *const crun_files[] = {
	"/run/crun/*/status",
	"/run/user/*/crun/*/status",
};

/*
 * Returns the part of @path in its hierarchy. Version 1 has "/sys/fs/cgroup/pids/NAME" and others,
 * one for each controller. Version 2 has one path, "/sys/fs/cgroup/NAME", under the empty name. A
 * hybrid of both has that path, too, without a use for it.
 */
static const char *path_in_hierarchy(const char *path, bool v2)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t n = sizeof(mount) - 1;

	if (strncmp(path, mount, n) || path[n] != '/')
		return "";
	path += n;
	if (v2)
		return path;
	path = strchr(path + 1, '/');
	return path ? path : "";
}

static void take_cgroup_paths(struct container *c, struct json_object *paths)
{
	const char *only = json_text(json_member(paths, ""), "");
	static const char *const controllers[] = { "pids", "memory", "cpu", "devices" };
	size_t i;

	for (i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++)
		container_set(&c->cgroup,
			      path_in_hierarchy(json_text(paths, controllers[i]), false));
	container_set(&c->cgroup, path_in_hierarchy(only, true));
}

/* Returns the runtime: runc itself, or the one that runs runc, by the folder. */
static const char *runtime_of(const char *path)
{
	if (strstr(path, "/run/docker/") || strstr(path, "/moby/"))
		return "docker";
	return strstr(path, "/run/containerd/") ? "containerd" : "runc";
}

static void take_runc(struct containers *cs, const char *path)
{
	struct json_object *state = state_json(cs, path);
	const char *id = json_text(state, "id");
	struct container *c;

	if (*id) {
		c = containers_put(cs, runtime_of(path), id);
		take_cgroup_paths(c, json_at(state, "cgroup_paths"));
		c->init = (pid_t)json_number(state, "init_process_pid");
		c->init_start = (uint64_t)json_number(state, "init_process_start");
	}
	json_close(state);
}

static void take_crun(struct containers *cs, const char *path)
{
	_cleanup_free_ char *id = state_component(path, 1);
	struct json_object *status = state_json(cs, path);
	struct container *c;

	if (json_number(status, "pid")) {
		c = containers_put(cs, "crun", id);
		container_set(&c->cgroup, json_text(status, "cgroup-path"));
		c->init = (pid_t)json_number(status, "pid");
		c->init_start = (uint64_t)json_number(status, "process-start-time");
	}
	json_close(status);
}

void state_runc(struct containers *cs)
{
	size_t i;

	for (i = 0; i < sizeof(runc_files) / sizeof(runc_files[0]); i++)
		state_glob(cs, runc_files[i], take_runc);
}

void state_crun(struct containers *cs)
{
	size_t i;

	for (i = 0; i < sizeof(crun_files) / sizeof(crun_files[0]); i++)
		state_glob(cs, crun_files[i], take_crun);
}
