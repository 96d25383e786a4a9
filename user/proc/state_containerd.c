// SPDX-License-Identifier: Apache-2.0
/*
 * state_containerd: the bundles of containerd's tasks, NAMESPACE/ID/config.json
 * and init.pid. The CRI plugin and nerdctl leave names as annotations.
 */
#include "proc/state.h"

#include <string.h>

#include "base/cleanup.h"
#include "proc/json.h"

static const char *const bundles[] = {
	"/run/containerd/io.containerd.runtime.v2.task/*/*/config.json",
	"/run/k3s/containerd/io.containerd.runtime.v2.task/*/*/config.json",
	"/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task/*/*/config.json",
};

static void take_annotations(struct container *c, struct json_object *notes)
{
	container_set(&c->pod, json_text(notes, "io.kubernetes.cri.sandbox-name"));
	container_set(&c->pod_namespace, json_text(notes, "io.kubernetes.cri.sandbox-namespace"));
	container_set(&c->pod_uid, json_text(notes, "io.kubernetes.cri.sandbox-uid"));
	container_set(&c->name, json_text(notes, "io.kubernetes.cri.container-name"));
	container_set(&c->name, json_text(notes, "nerdctl/name"));
}

/*
 * Takes the path of the cgroup. systemd's form SLICE:PREFIX:NAME is no path, but the cgroup's path
 * then ends in PREFIX-NAME.scope, which has the id.
 */
static void take_cgroup(struct container *c, const char *path)
{
	if (*path == '/' && !strchr(path, ':'))
		container_set(&c->cgroup, path);
}

static void take_bundle(struct containers *cs, const char *path)
{
	_cleanup_free_ char *id = state_component(path, 1);
	_cleanup_free_ char *space = state_component(path, 2);
	_cleanup_free_ char *dir = xstrndup(path, strlen(path) - strlen("config.json"));
	_cleanup_free_ char *pid_file = xasprintf("%sinit.pid", dir);
	struct json_object *config = state_json(cs, path);
	struct container *c;

	c = containers_put(cs, strcmp(space, "moby") ? "containerd" : "docker", id);
	take_annotations(c, json_at(config, "annotations"));
	take_cgroup(c, json_text(config, "linux\ncgroupsPath"));
	if (!c->init)
		c->init = state_pid_file(cs, pid_file);
	json_close(config);
}

void state_containerd(struct containers *cs)
{
	size_t i;

	for (i = 0; i < sizeof(bundles) / sizeof(bundles[0]); i++)
		state_glob(cs, bundles[i], take_bundle);
}
