// SPDX-License-Identifier: Apache-2.0
/*
 * state_storage: lists of containers in a store of containers/storage, which Podman and CRI-O use:
 * containers.json, and volatile-containers.json for those that need not survive a reboot (podman
 * run --rm, all of CRI-O's). The metadata of an entry is JSON in a string, and only CRI-O's has a
 * pod-id.
 */
#include "proc/state.h"

#include <string.h>

#include "base/cleanup.h"
#include "proc/json.h"

static const char *const lists[] = {
	"/var/lib/containers/storage/*-containers/*containers.json",
	"/run/containers/storage/*-containers/*containers.json",
	"/home/*/.local/share/containers/storage/*-containers/*containers.json",
	"/root/.local/share/containers/storage/*-containers/*containers.json",
	"/run/user/*/containers/*-containers/*containers.json",
};

static const char *const pid_files[] = {
	"/run/containers/storage/*-containers/*/userdata/pidfile",
	"/run/user/*/containers/*-containers/*/userdata/pidfile",
};

static void take_entry(struct containers *cs, struct json_object *entry)
{
	const char *id = json_text(entry, "id"), *text = json_text(entry, "metadata");
	struct json_object *meta = json_parse(text, strlen(text));
	bool crio = *json_text(meta, "pod-id");
	struct container *c;

	if (*id) {
		c = containers_put(cs, crio ? "cri-o" : "podman", id);
		container_set_k8s_name(c, json_text(json_item(json_at(entry, "names"), 0), ""));
		if (crio)
			container_set(&c->name, json_text(meta, "metadata-name"));
	}
	json_close(meta);
}

static void take_list(struct containers *cs, const char *path)
{
	struct json_object *list = state_json(cs, path);
	size_t i;

	for (i = 0; i < json_length(list) && cs->list.len < STATE_CONTAINERS; i++)
		take_entry(cs, json_item(list, i));
	json_close(list);
}

static void storage_take_pid(struct containers *cs, const char *path)
{
	_cleanup_free_ char *id = state_component(path, 2);
	size_t i;

	for (i = 0; i < cs->list.len; i++) {
		struct container *c = *vec_at(&cs->list, struct container *, i);

		if (!strcmp(c->id, id))
			c->init = state_pid_file(cs, path);
	}
}

void state_storage(struct containers *cs)
{
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		state_glob(cs, lists[i], take_list);
	for (i = 0; i < sizeof(pid_files) / sizeof(pid_files[0]); i++)
		state_glob(cs, pid_files[i], storage_take_pid);
}
