// SPDX-License-Identifier: Apache-2.0
/* cgroup: see cgroup.h. */
#include "proc/cgroup.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { HEX_ID = 64 };

/* One component of a path, without a NUL at its end. */
struct part {
	const char *s;
	size_t n;
};

/* Components that name a runtime and an id. */
static const struct {
	const char *prefix, *runtime;
	bool hex;		/* an id follows the prefix, not a name */
} prefixes[] = {
	{ "docker-", "docker", true },
	{ "cri-containerd-", "containerd", true },
	{ "nerdctl-", "containerd", true },
	{ "crio-", "cri-o", true },
	{ "libpod-", "podman", true },
	{ "lxc.payload.", "lxc", false },
	{ "machine-", "nspawn", false },
	{ "runc-", "runc", false },
	{ "crun-", "crun", false },
};

/* Parent folders of a bare id that name the runtime. */
static const struct {
	const char *parent, *runtime;
} parents[] = {
	{ "docker", "docker" },	{ "moby", "docker" }, { "k8s.io", "containerd" },
	{ "default", "containerd" }, { "buildkit", "buildkit" }, { "libpod_parent", "podman" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_hex_id(struct part p)
{
	size_t i;

	for (i = 0; i < p.n; i++)
		if (!isxdigit((unsigned char)p.s[i]))
			return false;
	return p.n == HEX_ID;
}

static bool cut_prefix(struct part *p, const char *prefix)
{
	size_t n = strlen(prefix);

	if (p->n <= n || memcmp(p->s, prefix, n))
		return false;
	p->s += n;
	p->n -= n;
	return true;
}

static bool cut_suffix(struct part *p, const char *suffix)
{
	size_t n = strlen(suffix);

	if (p->n <= n || memcmp(p->s + p->n - n, suffix, n))
		return false;
	p->n -= n;
	return true;
}

static bool cgroup_equals(struct part p, const char *s)
{
	return p.n == strlen(s) && !memcmp(p.s, s, p.n);
}

static void cgroup_take(struct cgroup_ref *ref, const char *runtime, struct part id)
{
	if (id.n >= sizeof(ref->id))
		return;
	ref->runtime = runtime;
	snprintf(ref->id, sizeof(ref->id), "%.*s", (int)id.n, id.s);
}

/* Splits "SLICE:RUNTIME:ID", which has colons in place of slashes. */
static bool cut_colons(struct part *p, const char **runtime)
{
	const char *colon = memchr(p->s, ':', p->n);
	struct part rest;

	if (!colon)
		return false;
	rest = (struct part){ colon + 1, p->n - (size_t)(colon + 1 - p->s) };
	*runtime = cut_prefix(&rest, "cri-containerd:") ? "containerd" :
		   cut_prefix(&rest, "crio:") ? "cri-o" :
		   cut_prefix(&rest, "docker:") ? "docker" :
		   cut_prefix(&rest, "libpod:") ? "podman" : NULL;
	if (*runtime)
		*p = rest;
	return *runtime != NULL;
}

static void try_id(struct cgroup_ref *ref, struct part p, struct part parent)
{
	bool scope = cut_suffix(&p, ".scope");
	const char *runtime = "";
	size_t i;

	for (i = 0; i < COUNT(prefixes); i++) {
		struct part id = p;

		if (!cut_prefix(&id, prefixes[i].prefix))
			continue;
		/* libpod-conmon-ID.scope is a cgroup beside the container's */
		if (prefixes[i].hex ? is_hex_id(id) : scope || prefixes[i].prefix[0] == 'l')
			cgroup_take(ref, prefixes[i].runtime, id);
		return;
	}
	if (!cut_colons(&p, &runtime))
		for (i = 0; i < COUNT(parents); i++)
			if (cgroup_equals(parent, parents[i].parent))
				runtime = parents[i].runtime;
	if (is_hex_id(p))
		cgroup_take(ref, runtime ? runtime : "", p);
}

/*
 * Takes the UID of "podUID" or of "kubepods-burstable-podUID.slice", in which systemd requires _
 * for -.
 */
static void try_pod(struct cgroup_ref *ref, struct part p)
{
	size_t i;

	if (cut_suffix(&p, ".slice"))
		while (cut_prefix(&p, "kubepods") || cut_prefix(&p, "-burstable") ||
		       cut_prefix(&p, "-besteffort") || cut_prefix(&p, "-guaranteed") ||
		       cut_prefix(&p, "-"))
			;
	if (!cut_prefix(&p, "pod") || p.n < 32 || p.n >= sizeof(ref->pod_uid))
		return;
	for (i = 0; i < p.n; i++)
		if (!isxdigit((unsigned char)p.s[i]) && p.s[i] != '-' && p.s[i] != '_')
			return;
	for (i = 0; i < p.n; i++)
		ref->pod_uid[i] = p.s[i] == '_' ? '-' : p.s[i];
	ref->pod_uid[p.n] = 0;
}

/* Finds the path in a line "N:CONTROLLERS:PATH"; *next is the start of the next line, or NULL. */
static bool line_path(const char *line, struct part *path, const char **next)
{
	size_t n = strcspn(line, "\n");
	const char *colon = memchr(line, ':', n);

	*next = line[n] && line[n + 1] ? line + n + 1 : NULL;
	colon = colon ? memchr(colon + 1, ':', n - (size_t)(colon + 1 - line)) : NULL;
	if (!colon)
		return false;
	*path = (struct part){ colon + 1, n - (size_t)(colon + 1 - line) };
	return true;
}

static void parse_path(struct cgroup_ref *ref, struct part path)
{
	struct part parent = { "", 0 }, p;
	const char *slash;

	while (path.n) {
		slash = memchr(path.s, '/', path.n);
		p = (struct part){ path.s, slash ? (size_t)(slash - path.s) : path.n };
		path.s += p.n + (slash != NULL);
		path.n -= p.n + (slash != NULL);
		if (!p.n)
			continue;
		try_pod(ref, p);
		/* the last one counts: a container may run in another one */
		try_id(ref, p, parent);
		parent = p;
	}
}

bool cgroup_parse(const char *text, struct cgroup_ref *ret)
{
	const char *line = text;
	struct part path;

	*ret = (struct cgroup_ref){ .runtime = "" };
	while (line && !ret->id[0])
		if (line_path(line, &path, &line))
			parse_path(ret, path);
	return ret->id[0];
}

bool cgroup_is_in(const char *text, const char *path)
{
	const char *line = text;
	size_t n = strlen(path);
	struct part p;

	if (n < 2)	/* the root is no container */
		return false;
	while (line)
		if (line_path(line, &p, &line) && p.n >= n && !memcmp(p.s, path, n) &&
		    (p.n == n || p.s[n] == '/'))
			return true;
	return false;
}

/*
 * Returns whether @name is in the list, which has commas between names. An empty list has the name
 * "".
 */
static bool cgroup_has_name(struct part list, const char *name)
{
	size_t n = strlen(name), len;

	for (; ; list.s += len + 1, list.n -= len + 1) {
		const char *comma = memchr(list.s, ',', list.n);

		len = comma ? (size_t)(comma - list.s) : list.n;
		if (len == n && !memcmp(list.s, name, n))
			return true;
		if (len == list.n)
			return false;
	}
}

bool cgroup_path(const char *text, const char *controller, char *ret, size_t size)
{
	const char *line = text, *at, *colon;
	struct part path;

	while (line) {
		at = line;
		if (!line_path(at, &path, &line))
			continue;
		colon = strchr(at, ':') + 1;	/* before the controllers */
		if (path.n < size &&
		    cgroup_has_name((struct part){ colon, (size_t)(path.s - 1 - colon) },
				    controller)) {
			snprintf(ret, size, "%.*s", (int)path.n, path.s);
			return true;
		}
	}
	return false;
}
