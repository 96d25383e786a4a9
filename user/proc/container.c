// SPDX-License-Identifier: Apache-2.0
/* container: see container.h. */
#define _GNU_SOURCE
#include "proc/container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/cgroup.h"
#include "proc/state.h"

enum { CGROUP_TEXT = 65536, SHORT_ID = 12, PREFIX_MIN = 4, START_TIME = 22 };

/* --- the state folders --- */

void containers_load(struct containers *cs, const char *root)
{
	*cs = (struct containers){ .root = root, .foreign_left = STATE_FOREIGN };
	state_docker(cs);
	state_storage(cs);
	state_containerd(cs);
	state_runc(cs);
	state_crun(cs);
	cs->root = NULL;
}

/* --- the container of a process --- */

static struct container *by_cgroup(struct containers *cs, const char *text)
{
	struct cgroup_ref ref;
	struct container *c;
	size_t i;

	if (cgroup_parse(text, &ref)) {
		c = containers_put(cs, ref.runtime, ref.id);
		container_set(&c->pod_uid, ref.pod_uid);
		return c;
	}
	for (i = 0; i < cs->list.len; i++)
		if (cgroup_is_in(text, container_at(cs, i)->cgroup))
			return container_at(cs, i);
	return NULL;
}

/*
 * Returns whether @pid is the first process of @c: the mark of a container without a cgroup of its
 * own.
 */
static bool is_init_of(const struct container *c, const struct procfs *fs, pid_t pid)
{
	return c->init == pid && c->init_start &&
	       procfs_stat_field(fs, pid, START_TIME) == c->init_start;
}

static bool shares_namespace(const struct container *c, const struct procfs *fs, pid_t pid)
{
	struct procfs_file_id a, b;

	return c->init_start && is_init_of(c, fs, c->init) &&
	       !procfs_file_id(fs, pid, "ns/pid", &a) &&
	       !procfs_file_id(fs, c->init, "ns/pid", &b) && procfs_same_file(a, b);
}

static struct container *by_first_process(struct containers *cs, const struct procfs *fs,
					  pid_t pid)
{
	struct procfs_status st;
	bool nested = !procfs_status(fs, pid, "status", &st) && st.levels > 1;
	size_t i;

	for (i = 0; i < cs->list.len; i++) {
		struct container *c = container_at(cs, i);

		if (is_init_of(c, fs, pid) || (nested && shares_namespace(c, fs, pid)))
			return c;
	}
	return NULL;
}

static struct container *find_home(struct containers *cs, const struct procfs *fs, pid_t pid)
{
	struct container *c = NULL;
	struct buf text = {0};

	if (!procfs_read(fs, pid, "cgroup", CGROUP_TEXT, &text) && text.len)
		c = by_cgroup(cs, (const char *)text.data);
	buf_free(&text);
	return c ? c : by_first_process(cs, fs, pid);
}

const struct container *containers_of(struct containers *cs, const struct procfs *fs, pid_t pid)
{
	return find_home(cs, fs, pid);
}

void containers_scan(struct containers *cs, const struct procfs *fs)
{
	struct vec pids = {0};
	size_t i;

	procfs_pids(fs, &pids);
	for (i = 0; i < pids.len; i++) {
		pid_t pid = *vec_at(&pids, pid_t, i);
		struct container *c = find_home(cs, fs, pid);

		if (c)
			*(pid_t *)vec_push(&c->pids, sizeof(pid)) = pid;
	}
	vec_free(&pids);
}

/* --- the containers of a query --- */

/* Compares with "POD", "NAMESPACE/POD", and both with "/CONTAINER". */
static bool matches_pod(const struct container *c, const char *query)
{
	size_t space = strlen(c->pod_namespace), pod = strlen(c->pod);

	if (!pod)
		return *c->pod_uid && !strcmp(c->pod_uid, query);
	if (!strcmp(c->pod_uid, query))
		return true;
	if (space && !strncmp(query, c->pod_namespace, space) && query[space] == '/')
		query += space + 1;
	if (strncmp(query, c->pod, pod))
		return false;
	return !query[pod] || (query[pod] == '/' && !strcmp(query + pod + 1, c->name));
}

static bool is_named(const struct container *c, const char *query)
{
	return !strcmp(c->id, query) || !strcmp(c->name, query);
}

static bool container_has_prefix(const struct container *c, const char *query)
{
	size_t n = strlen(query);

	return n >= PREFIX_MIN && !strncmp(c->id, query, n);
}

static bool some_run(const struct vec *found)
{
	size_t i;

	for (i = 0; i < found->len; i++)
		if ((*vec_at(found, struct container *, i))->pids.len)
			return true;
	return false;
}

/*
 * Removes containers without a process: they have ended, and the state folders still describe them.
 */
static void container_drop_ended(struct vec *found)
{
	size_t i, n = 0;

	for (i = 0; i < found->len; i++) {
		struct container *c = *vec_at(found, struct container *, i);

		if (c->pids.len)
			*vec_at(found, struct container *, n++) = c;
	}
	found->len = n;
}

static void container_collect(const struct containers *cs, const char *query, struct vec *ret,
		    bool (*matches)(const struct container *, const char *))
{
	size_t i;

	for (i = 0; i < cs->list.len; i++)
		if (matches(container_at(cs, i), query))
			*(struct container **)vec_push(ret, sizeof(void *)) = container_at(cs, i);
	if (some_run(ret))
		container_drop_ended(ret);
}

static bool is_hex(const char *s)
{
	return strlen(s) == strspn(s, "0123456789abcdef");
}

/*
 * Returns how many characters of the id are shown. An id that a user chose is a name; hex ids are
 * cut.
 */
static int shown_id(const char *id)
{
	return strlen(id) == 64 && is_hex(id) ? SHORT_ID : (int)strlen(id);
}

char *container_label(const struct container *c)
{
	const char *runtime = *c->runtime ? c->runtime : "container";
	const char *space = *c->pod ? c->pod_namespace : "";

	return xasprintf("%s:%s%s%s%s%.*s", runtime, space, *space ? "/" : "", c->pod,
			 *c->pod ? "/" : "", *c->name ? 256 : shown_id(c->id),
			 *c->name ? c->name : c->id);
}

static int container_ambiguous(const char *query, const struct vec *found, struct error *err)
{
	struct buf list = {0};
	size_t i;

	for (i = 0; i < found->len; i++) {
		const struct container *c = *vec_at(found, struct container *, i);
		char *label = container_label(c);

		buf_printf(&list, "%s%s (%.*s)", i ? ", " : "", label, SHORT_ID, c->id);
		free(label);
	}
	error_set(err, -ENOTUNIQ, "'%s' may be one of %zu containers: %.*s; give more of the id",
		  query, found->len, (int)list.len, list.data);
	buf_free(&list);
	return -ENOTUNIQ;
}

int containers_find(const struct containers *cs, const char *query, struct vec *ret,
		    struct error *err)
{
	container_collect(cs, query, ret, is_named);
	if (!ret->len) {
		container_collect(cs, query, ret, matches_pod);
		if (ret->len)
			return 0;
		container_collect(cs, query, ret, container_has_prefix);
	}
	if (ret->len > 1)
		return container_ambiguous(query, ret, err);
	if (!ret->len)
		return error_set(
			err, -ENOENT,
			"no container '%s': gotap knows those of docker, containerd, podman, "
			"CRI-O, runc and crun by name, and any other by its id; see `gotap ps`",
			query);
	return 0;
}
