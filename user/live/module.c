// SPDX-License-Identifier: Apache-2.0
/* module: see module.h. */
#include "live/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/memory.h"
#include "proc/maps.h"
#include "target/offsets.h"

/* The Go files that are mapped into the process, without its executable. */
struct search {
	const struct process *p;
	struct vec plugins;	/* struct plugin */
	struct plugin library;	/* the library with a runtime of its own; bin NULL: none */
	char other[256];	/* path of a second such library */
};

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool module_is_plugin(const struct gobin *b)
{
	const char *mode = gobin_build_setting(b, "-buildmode");
	uint64_t addr;

	/* a library exports only the functions with an //export comment, a plugin all symbols */
	return mode ? !strcmp(mode, "plugin") : !gobin_exported_symbol(b, "runtime.allgs", &addr);
}

static void plugin_free(struct plugin *p)
{
	if (!p->bin)
		return;
	gobin_free(p->bin);
	close(p->held);
	p->bin = NULL;
}

static void keep_library(struct search *s, struct plugin *found)
{
	if (s->library.bin) {
		snprintf(s->other, sizeof(s->other), "%s", gobin_path(found->bin));
		plugin_free(found);
	} else {
		s->library = *found;
	}
}

/* Returns whether @file has been found: a file with several executable mappings is opened once. */
static bool module_is_known(const struct search *s, const char *file)
{
	size_t i;

	for (i = 0; i < s->plugins.len; i++)
		if (same_file(vec_at(&s->plugins, struct plugin, i)->file, file))
			return true;
	return same_file(file, s->p->exe) || (s->library.bin && same_file(file, s->library.file));
}

/* Holds the file of @m and opens it, if it is a Go file and not known yet. */
static bool open_mapping(const struct search *s, const struct mapping *m, struct plugin *ret)
{
	ret->held = maps_open(&s->p->fs, s->p->pid, s->p->root, m);
	if (ret->held < 0)
		return false;
	process_file_path(ret->held, ret->file);
	if (!module_is_known(s, ret->file) && !gobin_open_as(&ret->bin, ret->file, m->path, NULL))
		return true;
	close(ret->held);
	return false;
}

static void try_mapping(struct search *s, const struct mapping *m)
{
	struct plugin found;
	uint64_t addr;

	if (!open_mapping(s, m, &found))
		return;
	if (gobin_offset_address(found.bin, m->offset, &addr)) {
		plugin_free(&found);
		return;
	}
	found.bias = m->start - addr;
	if (module_is_plugin(found.bin))
		*(struct plugin *)vec_push(&s->plugins, sizeof(found)) = found;
	else
		keep_library(s, &found);
}

static void module_search(struct search *s)
{
	struct maps maps;
	size_t i;

	if (!maps_read(&maps, &s->p->fs, s->p->pid))
		for (i = 0; i < maps.code.len; i++)
			try_mapping(s, vec_at(&maps.code, struct mapping, i));
	maps_free(&maps);
}

static int module_refuse(const struct process *p, const char *other, struct error *err)
{
	return error_set(err, -ENOTSUP, "process %d has two Go programs in it, the other "
			 "is '%s'; only one can be recorded", p->pid, other);
}

static bool library_is_there(void *ctx)
{
	struct search *s = ctx;

	module_search(s);
	return s->library.bin;
}

/*
 * Finds the library that is the Go program. The executable is none, as @err says. A library that a
 * launched program opens by itself, while it runs, is mapped too late.
 */
static int find_library(struct process *p, struct search *s, struct error *err)
{
	struct error why = *err;
	int r;

	if (!process_is_child(p))
		return library_is_there(s) ? 0 : err->code;
	r = process_load(p, library_is_there, s, err);
	if (r != -ENOEXEC)
		return r;
	return error_set(err, r, "%.400s, nor is a library that it is linked with", why.text);
}

/* Makes the library the module of @p. There are no plugins: only Go executables can open them. */
static int use_library(struct process *p, struct search *s, struct gobin **ret,
		       struct error *err)
{
	int r = find_library(p, s, err);

	if (r)
		return r;
	if (*s->other)
		return module_refuse(p, s->other, err);
	p->library_file = s->library.held;
	memcpy(p->module, s->library.file, sizeof(p->module));
	p->bias = s->library.bias;
	*ret = s->library.bin;
	s->library.bin = NULL;
	return 0;
}

/* --- plugins that come later --- */

/*
 * Sets the word to watch: the end of the runtime's list of modules. A constructor in a plugin calls
 * runtime.addmoduledata, which changes that word first, before any other code of the plugin runs.
 */
static void watch_list(struct process *p, const struct gobin *b)
{
	uint64_t first;

	p->last_module = (struct watched){0};
	if (gobin_exported_symbol(b, "runtime.lastmoduledatap", &p->last_module.addr) ||
	    gobin_exported_symbol(b, "runtime.firstmoduledata", &first)) {
		p->last_module.addr = 0;
		return;
	}
	p->last_module.addr += p->bias;
	p->last_module.unlinked = first;
	p->last_module.value = first + p->bias;
	if (!p->launched)
		memory_read(p, p->last_module.addr, &p->last_module.value, 8);
}

bool module_opened_plugin(const struct process *p)
{
	const struct watched *w = &p->last_module;
	uint64_t now;

	/* until it is linked, a launched program has 0 or its link-time address there */
	return w->addr && memory_read(p, w->addr, &now, sizeof(now)) && now && now != w->value &&
	       now != w->unlinked;
}

/* --- all together --- */

bool module_has_library(const struct procfs *fs, pid_t pid)
{
	struct process p = PROCESS_CLOSED;
	struct search s = { .p = &p };
	bool has;

	if (process_open(&p, fs, pid, NULL))
		return false;
	module_search(&s);
	has = s.library.bin;
	plugin_free(&s.library);
	plugins_free(&s.plugins);
	process_close(&p);
	return has;
}

void module_exe_name(const struct process *p, char ret[512])
{
	ssize_t n = readlink(p->exe, ret, 511);

	if (n < 0)
		n = snprintf(ret, 512, "%s", p->exe);
	ret[n] = 0;
}

static int use_executable(struct process *p, struct gobin *b, struct search *s,
			  struct error *err)
{
	int r = gobin_check_host(b, err);

	if (!r)
		r = process_find_bias(p, gobin_entry(b), err);
	if (r)
		return r;
	memcpy(p->module, p->exe, sizeof(p->module));
	watch_list(p, b);
	if (!p->launched)	/* the loader has not run yet */
		module_search(s);
	return s->library.bin ? module_refuse(p, gobin_path(s->library.bin), err) : 0;
}

int module_open(struct process *p, struct gobin **ret, struct vec *plugins, struct error *err)
{
	struct search s = { .p = p };
	char name[512];
	int r;

	module_exe_name(p, name);
	r = gobin_open_as(ret, p->exe, name, err);
	if (!r) {
		r = use_executable(p, *ret, &s, err);
	} else if (r == -ENOEXEC) {
		r = use_library(p, &s, ret, err);
	}
	plugin_free(&s.library);
	*plugins = s.plugins;
	return r;
}

/* Stores the root of @p; NULL: the process has the same file system as gotap. */
static const char *root_of(const struct process *p, char ret[PROCFS_PATH])
{
	if (p->root < 0)
		return NULL;
	process_file_path(p->root, ret);
	return same_file(ret, "/") ? NULL : ret;
}

void module_find_debug(const struct process *p, struct gobin *program, const struct vec *plugins,
		       bool wanted)
{
	char path[PROCFS_PATH];
	const char *root = root_of(p, path);
	struct go_offsets off;
	size_t i;

	wanted |= go_offsets_from_table(gobin_go_minor(program), &off) != 0;
	gobin_find_debug(program, root, wanted);
	for (i = 0; i < plugins->len; i++)
		gobin_find_debug(vec_at(plugins, struct plugin, i)->bin, root, wanted);
}

void plugins_free(struct vec *plugins)
{
	size_t i;

	for (i = 0; i < plugins->len; i++)
		plugin_free(vec_at(plugins, struct plugin, i));
	vec_free(plugins);
}
