// SPDX-License-Identifier: Apache-2.0
/*
 * target: what `gotap record` records: from the options to a process with its
 * Go program, the plan and the names. A command runs here until it comes to that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/record/origin.h"
#include "cmd/record/record.h"
#include "cmd/record/signals.h"
#include "files/claims.h"
#include "live/memory.h"
#include "proc/privilege.h"
#include "symbol/elf_file.h"

static void fill_info(struct target *t, const struct record_options *o)
{
	struct capture_info *info = &t->info;
	ssize_t n = readlink(t->proc.module, info->exe, sizeof(info->exe) - 1);

	if (n < 0)	/* below /proc/PID/root */
		n = snprintf(info->exe, sizeof(info->exe), "%s", t->proc.module);
	info->exe[n] = 0;
	snprintf(info->build_id, sizeof(info->build_id), "%s", gobin_build_id(t->bin));
	snprintf(info->go_version, sizeof(info->go_version), "%s", gobin_go_version(t->bin));
	info->go_minor = (uint32_t)gobin_go_minor(t->bin);
	info->machine = gobin_arch(t->bin)->elf;
	info->pid = (uint32_t)t->proc.pid;
	info->bias = t->proc.bias;
	info->stack_depth = o->capture.bpf.stack_depth;
	info->launched = t->proc.launched;
	origin_fill(info, &t->proc, t->bin, o->no_command);
}

/* Opened before the recording, so that all of it has probes and names. */
static int add_plugin(struct target *t, const struct plugin *plugin,
		      const struct record_options *o, struct error *err)
{
	struct capture_info *info = &t->info;
	struct capture_plugin *kept;
	int r;

	if (info->n_plugins == CAPTURE_PLUGINS)
		return error_set(err, -ENOTSUP, "process %d has opened more than %d plugins",
				 t->proc.pid, CAPTURE_PLUGINS);
	r = plan_add_plugin(&t->plan, plugin->bin, plugin->file, plugin->bias - t->proc.bias, err);
	if (!r && t->symbols)
		r = symbolizer_add(t->symbols, &(struct symbol_file){ plugin->file,
				   gobin_debug_file(plugin->bin), plugin->bias,
				   dwarf_isolated_new, NULL }, o->symbols, err);
	if (r)
		return r;
	kept = &info->plugins[info->n_plugins++];
	snprintf(kept->path, sizeof(kept->path), "%s", gobin_path(plugin->bin));
	snprintf(kept->build_id, sizeof(kept->build_id), "%s", gobin_build_id(plugin->bin));
	kept->bias = plugin->bias;
	return 0;
}

static int add_plugins(struct target *t, const struct record_options *o, struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < t->plugins.len && !r; i++)
		r = add_plugin(t, vec_at(&t->plugins, struct plugin, i), o, err);
	t->info.unseen_unblocks = t->plan.unseen_unblocks;
	return r;
}

/*
 * Asked before the command runs: it may do a lot until it comes to its Go program.
 * An attach by perf needs more, which turns out later.
 */
static int may_launch(struct error *err)
{
	unsigned int needs = PRIVILEGE_BPF | PRIVILEGE_PERFMON;
	char why[256];

	if (!(needs & ~privilege_have()))
		return 0;
	privilege_explain(needs | PRIVILEGE_PTRACE, why);
	return error_set(err, -EPERM, "not allowed to load BPF programs: %s", why);
}

/* Opens the file that execvp(3) would run; false if it is no ELF file that gotap knows. */
static bool open_command(struct elf_file *f, const char *command)
{
	const char *path = getenv("PATH"), *end;
	char name[PATH_MAX];

	if (strchr(command, '/'))
		return !elf_file_open(f, command, NULL);
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (snprintf(name, sizeof(name), "%.*s/%s", (int)(end - path), path, command) <
			    (int)sizeof(name) && !access(name, X_OK))
			return !elf_file_open(f, name, NULL);
	}
	return false;
}

/* The kernel refuses a program of another architecture; execvp(3) then takes it for a script. */
static int check_command(const char *command, struct error *err)
{
	struct elf_file f;
	int r;

	if (!open_command(&f, command))
		return 0;
	r = goarch_check_host(f.arch, command, err);
	elf_file_close(&f);
	return r;
}

/* The traces and what the program prints never get into one another. */
static int launch(struct process *p, const struct procfs *fs, char **command,
		  const struct record_files *files, struct error *err)
{
	bool taken = output_is(&files->trace, STDOUT_FILENO) ||
		     output_is(&files->perfetto, STDOUT_FILENO);
	int out = taken ? STDERR_FILENO : STDOUT_FILENO;
	int r = may_launch(err);

	if (!r)
		r = check_command(command[0], err);
	return r ? r : process_launch(p, fs, command, out, signals_restore, signals_step(), err);
}

/* What is read of a launched program before it runs cannot hang (live/memory.h). */
static int target_attach(struct process *p, const struct procfs *fs, pid_t pid, int holder,
			 struct error *err)
{
	int r = holder < 0 ? process_open(p, fs, pid, err) :
			     process_open_held(p, fs, pid, holder, err);

	return r ? r : memory_begin(p, NULL, err);
}

/* @why: of the last program that it ran. */
static int no_go_program(const char *wanted, const struct error *why, struct error *err)
{
	return error_set(
		err, -ECHILD,
		"no Go program %s%swas run: %.250s; what a command starts as another process is "
		"not followed: let it exec that, give --follow, or record that with -p PID",
		wanted ? wanted : "", wanted ? " " : "", why->text);
}

/* Opens the Go program that the process runs, if it is the one that is wanted. */
static int open_program(struct target *t, const char *wanted, struct error *err)
{
	int r = module_open(&t->proc, &t->bin, &t->plugins, err);
	char name[512];

	if (r || !wanted)
		return r;
	module_exe_name(&t->proc, name);
	if (!strcmp(wanted, basename(name)))
		return 0;
	gobin_free(t->bin);
	t->bin = NULL;
	return error_set(err, -ENOEXEC, "'%.300s' has another name", name);
}

/*
 * The command may be a shell, env, nice...: what is recorded is the first Go
 * program that its process execs. -ECHILD: it has ended without.
 */
static int find_program(struct target *t, const char *wanted, struct error *err)
{
	struct error why = { .text = "it ended while its libraries were loaded" };
	int r = open_program(t, wanted, err);

	while (process_is_child(&t->proc) && (r == -ENOEXEC || r == -EAGAIN)) {
		plugins_free(&t->plugins);
		if (r == -ENOEXEC) {
			why = *err;
			r = process_next_exec(&t->proc, err);
		}
		if (r != -ECHILD && r != -EINTR)
			r = open_program(t, wanted, err);
	}
	return r == -ECHILD ? no_go_program(wanted, &why, err) : r;
}

/*
 * Errors of a process whose memory or program went away while it was looked at; -EINTR: the
 * recording's time was over meanwhile.
 */
static bool may_have_gone(struct process *p, int r)
{
	return r == -ESRCH || r == -EFAULT || r == -ENOENT || r == -EINTR || process_leaves(p);
}

int target_fault(struct target *t, int r, struct error *err)
{
	struct process *p = &t->proc;
	bool had_program = p->pidfd >= 0 && p->exe_id[1];

	if (!r || process_is_child(p) || !had_program || !may_have_gone(p, r))
		return r;
	switch (process_fate(p)) {
	case PROCESS_ENDED:
		return error_set(err, -ESRCH, "process %d has ended", p->pid);
	case PROCESS_EXECED:
		return error_set(err, -ESTALE,
				 "process %d has exec'ed another program meanwhile: record that "
				 "one, with -p",
				 p->pid);
	case PROCESS_SAME:
		break;
	}
	return r;
}

/* The files of the program are inputs: a trace must not take the place of one. */
static int target_claim(const struct target *t, struct error *err)
{
	char name[512];
	size_t i;
	int r;

	module_exe_name(&t->proc, name);
	r = claims_input_named(t->proc.module, name, err);
	for (i = 0; i < t->plugins.len && !r; i++) {
		const struct plugin *p = vec_at(&t->plugins, struct plugin, i);

		r = claims_input_named(p->file, gobin_path(p->bin), err);
	}
	return r;
}

static int open_all(struct target *t, const struct record_options *o,
		    const struct record_files *files, struct error *err)
{
	struct procfs fs;
	pid_t pid;
	int r = pick_process(&o->pick, &fs, &pid, err);

	if (!r)
		r = o->command ? launch(&t->proc, &fs, o->command, files, err) :
				 target_attach(&t->proc, &fs, pid, o->held_by, err);
	if (!r)
		r = pick_check(&o->pick, &t->proc, err);
	/* code in the program knows the thread ids that the program knows */
	if (!r && (o->inner_tids || o->attach_inline))
		r = process_use_inner_ids(&t->proc, err);
	if (!r)
		r = find_program(t, o->program, err);
	if (!r)
		r = target_claim(t, err);
	if (!r && o->assume_minor)
		gobin_assume_minor(t->bin, o->assume_minor);
	if (!r)
		module_find_debug(&t->proc, t->bin, &t->plugins, o->symbols == SYMBOL_DWARF);
	if (!r)
		r = (o->attach_inline ? plan_make_inline : plan_make)(&t->plan, t->bin, o->groups,
								      err);
	if (!r)
		r = plan_add_regions(&t->plan, t->bin, o->regions, o->nregions, err);
	if (!r && o->region_args)
		r = plan_region_values(&t->plan, t->bin, err);
	if (r)
		return r;
	t->plan.assumed = o->assume_minor;
	t->types = (struct alloc_types){ t->bin, t->proc.bias };
	fill_info(t, o);
	if (o->capture.bpf.stack_depth)
		r = symbolizer_open(&t->symbols,
				    &(struct symbol_file){ t->proc.module, gobin_debug_file(t->bin),
							   t->proc.bias, dwarf_isolated_new, NULL },
				    o->symbols, err);
	return r ? r : add_plugins(t, o, err);
}

int target_open(struct target *t, const struct record_options *o, const struct record_files *files,
		struct error *err)
{
	return target_fault(t, open_all(t, o, files, err), err);
}

void target_close(struct target *t)
{
	symbolizer_free(t->symbols);
	plan_release(&t->plan);
	plugins_free(&t->plugins);
	gobin_free(t->bin);
	process_close(&t->proc);
}

size_t target_goroutines_fit(void *target)
{
	enum { STACK_MIN = 2048 };
	struct target *t = target;
	struct procfs_status st;
	size_t fit = 0;

	if (!procfs_status(&t->proc.fs, t->proc.pid, "status", &st))
		fit = st.anonymous / STACK_MIN;
	if (fit > t->goroutines_fit)
		t->goroutines_fit = fit;
	return t->goroutines_fit;
}

void target_look_at_memory(struct target *t)
{
	enum { EVERY = 100 * 1000 * 1000 };
	uint64_t now = now_ns();

	if (now - t->fit_looked < EVERY)
		return;
	t->fit_looked = now;
	target_goroutines_fit(t);
}
