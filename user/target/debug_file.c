// SPDX-License-Identifier: Apache-2.0
/* debug_file: see debug_file.h. */
#include "target/debug_file.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/open_under.h"
#include "base/vec.h"

enum { MAX_BUILD_ID = 64 };

/* The marks by which a program names its debug file; NULL: it has no such mark. */
struct marks {
	char *build_id;		/* in hexadecimal */
	char *link;		/* .gnu_debuglink: name of the file, */
	uint32_t crc;		/* checksum of the file */
};

static char *build_id_of(const struct elf_file *f)
{
	struct buf text = {0};
	const uint8_t *id;
	size_t i, n;

	id = elf_note(f, ".note.gnu.build-id", NT_GNU_BUILD_ID, "GNU", &n);
	if (!id || n < 2 || n > MAX_BUILD_ID)
		return NULL;
	for (i = 0; i < n; i++)
		buf_printf(&text, "%02x", id[i]);
	buf_add_byte(&text, '\0');
	return (char *)text.data;
}

/*
 * Reads .gnu_debuglink: a name, a NUL, up to three bytes of padding, a checksum. A name with a / is
 * not taken.
 */
static void read_link(const struct elf_file *f, struct marks *ret)
{
	struct elf_section s;
	size_t len, at;

	if (!elf_section_find(f, ".gnu_debuglink", &s))
		return;
	len = strnlen((const char *)s.data, s.size);
	at = (len + 4) & ~(size_t)3;
	if (!len || len > NAME_MAX || at > s.size || s.size - at < 4 ||
	    memchr(s.data, '/', len))
		return;
	ret->link = xstrdup((const char *)s.data);
	memcpy(&ret->crc, s.data + at, sizeof(ret->crc));
}

static void marks_free(struct marks *m)
{
	free(m->build_id);
	free(m->link);
}

static bool debug_file_is_same(const struct elf_file *f, const struct marks *m)
{
	_cleanup_free_ char *id = NULL;
	uint32_t crc;

	if (!m->build_id)
		return !elf_file_crc32(f, &crc) && crc == m->crc;
	id = build_id_of(f);
	return id && !strcmp(id, m->build_id);
}

/* The debug file, if it has been found. */
struct found {
	int fd;		/* -1: none */
	char *path;	/* path for messages */
};

/*
 * Takes over the descriptor @fd (or -errno) and @path, if the file there belongs to the program. If
 * there is a build id, the file must have the same, whatever its name is.
 */
static bool debug_file_take(struct found *ret, int fd, char *path, const struct marks *m)
{
	struct elf_file f;
	bool same = false;

	if (fd >= 0 && !elf_file_open_fd(&f, fd, NULL)) {
		same = debug_file_is_same(&f, m);
		elf_file_close(&f);
	}
	if (same) {
		*ret = (struct found){ fd, path };
		return true;
	}
	cleanup_close(&fd);
	free(path);
	return false;
}

/* --- in a file system that may be hostile --- */

/* Takes over @path. */
static bool try_under(struct found *ret, const char *root, char *path, const struct marks *m)
{
	int fd = open_under(root, path);
	char *name = root ? xasprintf("%s in the program's own file system", path) : xstrdup(path);

	free(path);
	return debug_file_take(ret, fd, name, m);
}

static bool by_build_id(struct found *ret, const char *root, const struct marks *m)
{
	return m->build_id &&
	       try_under(ret, root, xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", m->build_id,
					      m->build_id + 2), m);
}

/*
 * Looks for the file that .gnu_debuglink names, or if the program has no such section for one with
 * the program's own name, in the usual folders.
 */
static bool by_link(struct found *ret, const char *root, const char *program,
		    const struct marks *m)
{
	static const struct { const char *before, *behind; } places[] = {
		{ "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" },
	};
	const char *slash = strrchr(program, '/');
	_cleanup_free_ char *link = slash ? m->link ? xstrdup(m->link)
						    : xasprintf("%s.debug", slash + 1) : NULL;
	size_t i;

	for (i = 0; link && i < sizeof(places) / sizeof(places[0]); i++)
		if (try_under(ret, root, xasprintf("%s%.*s%s/%s", places[i].before,
						   (int)(slash - program), program,
						   places[i].behind, link), m))
			return true;
	return false;
}

/* Looks in the caches of debuginfod clients, as listed in debuginfod_find_debuginfo(3), "cache". */
static bool in_cache(struct found *ret, const struct marks *m)
{
	static const struct { const char *variable, *below; } caches[] = {
		{ "DEBUGINFOD_CACHE_PATH", "" },
		{ "XDG_CACHE_HOME", "/debuginfod_client" },
		{ "HOME", "/.cache/debuginfod_client" },
		{ "HOME", "/.debuginfod_client_cache" },
	};
	size_t i;

	for (i = 0; m->build_id && i < sizeof(caches) / sizeof(caches[0]); i++) {
		const char *dir = getenv(caches[i].variable);
		char *path;

		if (!dir || !*dir)
			continue;
		path = xasprintf("%s%s/%s/debuginfo", dir, caches[i].below, m->build_id);
		if (debug_file_take(ret, open_regular(path), path, m))
			return true;
	}
	return false;
}

/* --- from a server --- */

/*
 * Variables of libdebuginfod, in seconds, with the values that gotap sets if the user has set none.
 */
static const struct variable {
	const char *name, *fallback;
} variables[] = {
	{ "DEBUGINFOD_TIMEOUT", "5" },	/* seconds without a byte */
	{ "DEBUGINFOD_MAXTIME", "10" },
};

enum { NVARIABLES = sizeof(variables) / sizeof(variables[0]) };

/* Gives libdwfl only the build id of the program, so that libdwfl reads no file of the program. */
static void ask_as(Dwfl *dwfl, const char *name, const struct marks *m)
{
	uint8_t id[MAX_BUILD_ID];
	size_t i, n = strlen(m->build_id) / 2;
	char *path = NULL;
	Dwfl_Module *module;
	int fd;

	for (i = 0; i < n; i++)
		sscanf(m->build_id + 2 * i, "%2hhx", &id[i]);
	dwfl_report_begin(dwfl);
	module = dwfl_report_module(dwfl, name, 0, 1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!module || dwfl_module_report_build_id(module, id, n, 0))
		return;
	fd = dwfl_standard_find_debuginfo(module, NULL, name, 0, NULL, NULL, 0, &path);
	cleanup_close(&fd);
	free(path);
}

/* Asks the debuginfod servers. libdwfl stores the file that it gets in its cache. */
static void ask_servers(const char *name, const struct marks *m)
{
	static char *none = NULL;
	const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &none,
	};
	bool ours[NVARIABLES];
	Dwfl *dwfl;
	int i;

	for (i = 0; i < NVARIABLES; i++) {
		ours[i] = !getenv(variables[i].name);
		setenv(variables[i].name, variables[i].fallback, 0);
	}
	dwfl = dwfl_begin(&callbacks);
	if (dwfl)
		ask_as(dwfl, name, m);
	dwfl_end(dwfl);
	for (i = 0; i < NVARIABLES; i++)
		if (ours[i])
			unsetenv(variables[i].name);
}

/* --- all together --- */

static bool debug_file_search(struct found *ret, const struct debug_place *place,
			      const struct marks *m)
{
	if (in_cache(ret, m))
		return true;
	if (place->root && (by_build_id(ret, place->root, m) ||
			    by_link(ret, place->root, place->name, m)))
		return true;
	if (by_build_id(ret, NULL, m) || by_link(ret, NULL, place->name, m))
		return true;
	if (!m->build_id || !place->ask_servers)
		return false;
	ask_servers(place->name, m);
	return in_cache(ret, m);
}

int debug_file_find(const struct elf_file *f, const struct debug_place *place, char **path)
{
	struct marks m = { .build_id = build_id_of(f) };
	struct found found = { .fd = -ENOENT };

	read_link(f, &m);
	if ((m.build_id || m.link) && debug_file_search(&found, place, &m))
		*path = found.path;
	marks_free(&m);
	return found.fd;
}
