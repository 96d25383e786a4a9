/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: the container that a cgroup path belongs to. In: the text of /proc/PID/cgroup, versions 1
 * and 2. Out: a container id and the other names in the path. These forms are known, @id being 64
 * hex digits:
 *
 * 	docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope,
 * 	nerdctl-ID.scope, runc-NAME.scope, crun-NAME.scope	systemd driver
 * 	/docker/ID, /libpod_parent/libpod-ID, /k8s.io/ID	cgroupfs driver
 * 	/kubepods/.../podUID/ID, kubepods-...-podU_I_D.slice	Kubernetes
 * 	...slice:cri-containerd:ID		containerd given a path it misreads
 * 	/lxc.payload.NAME, machine-NAME.scope	LXC, systemd-nspawn
 *
 * and any other path that ends in 64 hex digits. A path like /NAME (runc) or /default/NAME (ctr)
 * names no container by itself; cgroup_is_in() compares it with the path in a state folder.
 */
#ifndef GOTAP_PROC_CGROUP_H
#define GOTAP_PROC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_ID = 128, CGROUP_UID = 37 };

struct cgroup_ref {
	const char *runtime;		/* static text, "" unknown */
	char id[CGROUP_ID];		/* "": the path names no container */
	char pod_uid[CGROUP_UID];	/* "" not in a pod */
};

/* Fills @ret; false if the path names no container. */
bool cgroup_parse(const char *text, struct cgroup_ref *ret);
/* Returns whether a path in @text is @path, or below it. */
bool cgroup_is_in(const char *text, const char *path);
/*
 * Stores the path in the hierarchy that has @controller ("freezer"); for "", the path in that of
 * version 2. False: there is no such hierarchy, or the path does not fit into @size.
 */
bool cgroup_path(const char *text, const char *controller, char *ret, size_t size);

#endif
