// SPDX-License-Identifier: Apache-2.0
/*
 * state_docker: containers/ID/config.v2.json in Docker's data folder, which daemon.json may have
 * moved. A name begins with a slash there.
 */
#define _GNU_SOURCE
#include "proc/state.h"

#include <string.h>

#include "base/cleanup.h"
#include "proc/json.h"

static const char *const folders[] = {
	"/var/lib/docker",
	"/var/snap/docker/common/var-lib-docker",
	"/home/*/.local/share/docker",
};

static void docker_take_labels(struct container *c, struct json_object *labels)
{
	container_set(&c->pod, json_text(labels, "io.kubernetes.pod.name"));
	container_set(&c->pod_namespace, json_text(labels, "io.kubernetes.pod.namespace"));
	container_set(&c->pod_uid, json_text(labels, "io.kubernetes.pod.uid"));
	if (*c->pod)	/* the name is a k8s_... one then */
		container_set(&c->name, json_text(labels, "io.kubernetes.container.name"));
}

static void take_config(struct containers *cs, const char *path)
{
	struct json_object *config = state_json(cs, path);
	const char *id = json_text(config, "ID"), *name = json_text(config, "Name");
	struct container *c;

	if (*id) {
		c = containers_put(cs, "docker", id);
		docker_take_labels(c, json_at(config, "Config\nLabels"));
		container_set_k8s_name(c, *name == '/' ? name + 1 : name);
		c->init = (pid_t)json_number(config, "State\nPid");
	}
	json_close(config);
}

static void take_folder(struct containers *cs, const char *folder)
{
	_cleanup_free_ char *pattern = xasprintf("%s/containers/*/config.v2.json", folder);

	state_glob(cs, pattern, take_config);
}

void state_docker(struct containers *cs)
{
	struct json_object *daemon = state_json(cs, "/etc/docker/daemon.json");
	const char *moved = json_text(daemon, "data-root");
	size_t i;

	if (*moved)
		take_folder(cs, moved);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strcmp(folders[i], moved))
			take_folder(cs, folders[i]);
	json_close(daemon);
}
