// SPDX-License-Identifier: Apache-2.0
/*
 * container_list: the list of containers. The readers of state folders (state.h) fill it, and
 * container.c searches it. See container.h.
 */
#define _GNU_SOURCE
#include "proc/container.h"

#include <stdlib.h>
#include <string.h>

struct container *containers_put(struct containers *cs, const char *runtime, const char *id)
{
	struct container *c;
	size_t i;

	for (i = 0; i < cs->list.len; i++)
		if (!strcmp(container_at(cs, i)->id, id))
			return container_at(cs, i);
	c = xcalloc(1, sizeof(*c));
	*c = (struct container){
		.runtime = runtime, .id = xstrdup(id), .name = xstrdup(""), .pod = xstrdup(""),
		.pod_namespace = xstrdup(""), .pod_uid = xstrdup(""), .cgroup = xstrdup(""),
	};
	*(struct container **)vec_push(&cs->list, sizeof(c)) = c;
	return c;
}

void container_set(char **field, const char *value)
{
	if (**field || !*value)
		return;
	free(*field);
	*field = xstrdup(value);
}

/* The parts are separated by underscores, which names of Kubernetes objects do not have. */
void container_set_k8s_name(struct container *c, const char *name)
{
	char *field[6] = {0}, *copy, *rest;
	size_t n = 0;

	if (strncmp(name, "k8s_", 4)) {
		container_set(&c->name, name);
		return;
	}
	rest = copy = xstrdup(name);
	while (n < 6 && rest)
		field[n++] = strsep(&rest, "_");
	if (n == 6) {
		container_set(&c->name, field[1]);
		container_set(&c->pod, field[2]);
		container_set(&c->pod_namespace, field[3]);
		container_set(&c->pod_uid, field[4]);
	}
	free(copy);
}

void containers_free(struct containers *cs)
{
	size_t i;

	for (i = 0; i < cs->list.len; i++) {
		struct container *c = container_at(cs, i);

		free(c->id);
		free(c->name);
		free(c->pod);
		free(c->pod_namespace);
		free(c->pod_uid);
		free(c->cgroup);
		vec_free(&c->pids);
		free(c);
	}
	vec_free(&cs->list);
}
