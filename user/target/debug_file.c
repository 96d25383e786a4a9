// SPDX-License-Identifier: Apache-2.0
/* debug_file: see debug_file.h. */
#include "target/debug_file.h"

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum { MAX_BUILD_ID = 64 };

/* What a program says about its debug file; NULL: nothing. */
struct marks {
	char *build_id;		/* in hexadecimal */
	char *link;		/* name of the file, and */
	uint32_t crc;		/* its checksum */
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

/* A name, a NUL, up to three bytes of padding, a checksum. A name, not a path. */
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

static bool is_same(const struct elf_file *f, const struct marks *m)
{
	_cleanup_free_ char *id = NULL;
	uint32_t crc;

	if (!m->build_id)
		return !elf_file_crc32(f, &crc) && crc == m->crc;
	id = build_id_of(f);
	return id && !strcmp(id, m->build_id);
}

/* Where there is a build id it must be the same, whatever the file's name is. */
static bool fits(const char *path, const struct marks *m)
{
	struct elf_file f;
	bool same;

	if (elf_file_open(&f, path, NULL))
		return false;
	same = is_same(&f, m);
	elf_file_close(&f);
	return same;
}

/* --- libdwfl's search --- */

enum { SERVERS = 3 };

/* Variables of libdebuginfod, and what they are for the time of a search. */
static const struct variable {
	const char *name, *unasked, *fallback;
} variables[SERVERS] = {
	{ "DEBUGINFOD_URLS", "", "" },
	{ "DEBUGINFOD_TIMEOUT", NULL, "5" },	/* s without a byte */
	{ "DEBUGINFOD_MAXTIME", NULL, "10" },	/* s */
};

static void set_variables(bool ask, char *saved[SERVERS])
{
	int i;

	for (i = 0; i < SERVERS; i++) {
		const struct variable *v = &variables[i];
		const char *now = getenv(v->name);

		saved[i] = now ? xstrdup(now) : NULL;
		if (!ask && v->unasked)
			setenv(v->name, v->unasked, 1);
		else
			setenv(v->name, v->fallback, 0);
	}
}

static void restore_variables(char *saved[SERVERS])
{
	int i;

	for (i = 0; i < SERVERS; i++) {
		if (saved[i])
			setenv(variables[i].name, saved[i], 1);
		else
			unsetenv(variables[i].name);
		free(saved[i]);
	}
}

static char *search_as(Dwfl *dwfl, const struct debug_place *place, const struct marks *m)
{
	Dwfl_Module *module = dwfl_report_offline(dwfl, place->name, place->file, -1);
	const unsigned char *id;
	char *ret = NULL;
	GElf_Addr at;
	int fd;

	dwfl_report_end(dwfl, NULL, NULL);
	if (!module)
		return NULL;
	dwfl_module_build_id(module, &id, &at);	/* the search takes it from the module */
	fd = dwfl_standard_find_debuginfo(module, NULL, place->name, 0, place->name, m->link,
					  m->crc, &ret);
	if (fd >= 0)
		close(fd);
	return ret;
}

static char *search(const struct debug_place *place, const struct marks *m)
{
	static char *path = NULL;	/* elfutils' own list */
	const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &path,
	};
	char *saved[SERVERS], *ret = NULL;
	Dwfl *dwfl;

	set_variables(place->ask_servers, saved);
	dwfl = dwfl_begin(&callbacks);
	if (dwfl)
		ret = search_as(dwfl, place, m);
	dwfl_end(dwfl);
	restore_variables(saved);
	return ret;
}

/* --- places that libdwfl does not know --- */

/* Takes over @path. */
static char *if_fits(char *path, const struct marks *m)
{
	if (path && fits(path, m))
		return path;
	free(path);
	return NULL;
}

/* debuginfod_find_debuginfo(3), "cache". */
static char *in_cache(const struct marks *m)
{
	static const struct { const char *variable, *below; } caches[] = {
		{ "DEBUGINFOD_CACHE_PATH", "" },
		{ "XDG_CACHE_HOME", "/debuginfod_client" },
		{ "HOME", "/.cache/debuginfod_client" },
		{ "HOME", "/.debuginfod_client_cache" },
	};
	char *ret = NULL;
	size_t i;

	for (i = 0; i < sizeof(caches) / sizeof(caches[0]) && !ret; i++) {
		const char *dir = getenv(caches[i].variable);

		if (dir && *dir)
			ret = if_fits(xasprintf("%s%s/%s/debuginfo", dir, caches[i].below,
						m->build_id), m);
	}
	return ret;
}

/*
 * In the program's own file system, which may be hostile: libdwfl would wait for
 * ever if the file is a FIFO. The places are its own, though.
 */
static char *in_root(const struct debug_place *place, const struct marks *m)
{
	static const struct { const char *before, *behind; } places[] = {
		{ "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" },
	};
	const char *slash = strrchr(place->name, '/');
	char *ret = NULL;
	size_t i;

	if (!place->root)
		return NULL;
	if (m->build_id)
		ret = if_fits(xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", place->root,
					m->build_id, m->build_id + 2), m);
	for (i = 0; m->link && slash && i < sizeof(places) / sizeof(places[0]) && !ret; i++)
		ret = if_fits(xasprintf("%s%s%.*s%s/%s", place->root, places[i].before,
					(int)(slash - place->name), place->name, places[i].behind,
					m->link), m);
	return ret;
}

char *debug_file_find(const struct elf_file *f, const struct debug_place *place)
{
	struct marks m = { .build_id = build_id_of(f) };
	char *ret = NULL;

	read_link(f, &m);
	if (m.build_id)
		ret = in_cache(&m);
	if (!ret)
		ret = in_root(place, &m);
	if (!ret && (m.build_id || m.link))
		ret = if_fits(search(place, &m), &m);
	if (!ret && m.build_id && place->ask_servers)
		ret = in_cache(&m);	/* libdwfl tells no path of what a server gave */
	marks_free(&m);
	return ret;
}
