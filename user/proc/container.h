/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container: the containers of this machine, found without a daemon. In: the state folders that
 * runtimes keep (docker, containerd, podman, CRI-O, runc, crun) and the cgroup paths of processes.
 * Out: names, ids, pods, and the processes of each. If a folder cannot be read, names are missing,
 * but no ids: cgroup paths have the ids, too.
 */
#ifndef GOTAP_PROC_CONTAINER_H
#define GOTAP_PROC_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "proc/procfs.h"

struct container {
	const char *runtime;	/* static text: "docker", ...; "" unknown */
	char *id;		/* 64 hex digits, or the name that its user gave it */
	/* "" if unknown, or if there is none */
	char *name;
	char *pod, *pod_namespace, *pod_uid;
	char *cgroup;		/* its path, the same in all hierarchies */
	pid_t init;		/* as the folder says; it may have ended long ago; 0 unknown */
	uint64_t init_start;	/* field 22 of that process's stat file, 0 unknown */
	struct vec pids;	/* pid_t, ascending; filled by containers_scan() */
};

struct containers {
	struct vec list;	/* struct container * */
	const char *root;	/* root of the state folders, while they are read */
	/* bytes that may still be read from files of users other than root */
	size_t foreign_left;
};

/*
 * Reads the state folders below @root: "" for this machine's, or the root of another file system
 * tree. If it can read none, the list is empty. containers_free() frees it.
 */
void containers_load(struct containers *cs, const char *root);
void containers_free(struct containers *cs);

/*
 * Returns the container that process @pid runs in; NULL: it runs in none. A container that no
 * folder names is added to @cs. Valid until containers_free().
 */
const struct container *containers_of(struct containers *cs, const struct procfs *fs, pid_t pid);

/* Finds the processes of all containers. */
void containers_scan(struct containers *cs, const struct procfs *fs);

/*
 * Finds the containers that @query names: an id or the start of one (4 characters or more), a name,
 * or a pod: its name, UID, or NAMESPACE/POD, with /CONTAINER for one container of several. If some
 * of them have processes, only those count. Only a pod may give more than one. Appends struct
 * container * to @ret. -ENOENT, or -ENOTUNIQ with a text that lists them.
 */
int containers_find(const struct containers *cs, const char *query, struct vec *ret,
		    struct error *err);

/*
 * Returns "docker:web", "containerd:shop/cart-7d9/cart", "podman:0123456789ab". The caller frees
 * it.
 */
char *container_label(const struct container *c);

/* --- container_list.c: for the readers of state folders (state.h) --- */

static inline struct container *container_at(const struct containers *cs, size_t i)
{
	return *vec_at(&cs->list, struct container *, i);
}

/*
 * Returns the container with that id, added if it is new. The caller, a reader of state folders,
 * fills in the members that are not known yet.
 */
struct container *containers_put(struct containers *cs, const char *runtime, const char *id);
/* Sets a text that is still "" to a copy of @value. */
void container_set(char **field, const char *value);
/* Splits "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT" (CRI-O, cri-dockerd) into its parts. */
void container_set_k8s_name(struct container *c, const char *name);

#endif
