// SPDX-License-Identifier: Apache-2.0
/* look: see look.h. */
#include "cmd/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cmd/pause.h"
#include "live/corefile.h"
#include "live/memory.h"
#include "moment/core.h"
#include "proc/privilege.h"

static int look_open_symbols(struct look *l, struct error *err)
{
	struct symbol_file program = { l->proc.module, gobin_debug_file(l->bin), l->proc.bias,
				       dwarf_isolated_new, gobin_elf(l->bin) };
	int r = symbolizer_open(&l->symbols, &program, SYMBOL_AUTO, err);
	size_t i;

	for (i = 0; i < l->plugins.len && !r; i++) {
		const struct plugin *p = vec_at(&l->plugins, struct plugin, i);

		r = symbolizer_add(l->symbols,
				   &(struct symbol_file){ p->file, gobin_debug_file(p->bin),
							  p->bias, dwarf_isolated_new,
							  gobin_elf(p->bin) },
				   SYMBOL_AUTO, err);
	}
	return r;
}

/* The error of process_open() names the rights for a recording; reading needs fewer. */
static int look_may_not_trace(pid_t pid, struct error *err)
{
	char why[256];

	privilege_explain(PRIVILEGE_PTRACE, why);
	return error_set(err, -EACCES,
			 "not allowed to read process %d: it belongs to another user, and %s", pid,
			 why);
}

/* Opens the program of the core file, and makes both a process that has ended. */
static int look_open_program(struct look *l, const char *exe, struct error *err)
{
	int r;

	if (!*exe)
		return error_set(err, -ENOENT, "'%s' does not name its program: give it by --exe",
				 corefile_path(l->core));
	l->proc.exe_file = open(exe, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (l->proc.exe_file < 0)
		return error_set(err, -errno, "cannot open the program '%s' of the core file: %s; "
				 "--exe gives another file", exe, strerror(errno));
	process_file_path(l->proc.exe_file, l->proc.exe);
	memcpy(l->proc.module, l->proc.exe, sizeof(l->proc.module));
	r = gobin_open_fd(&l->bin, l->proc.exe_file, exe, err);
	if (r)
		return r;
	if (corefile_entry(l->core))
		l->proc.bias = corefile_entry(l->core) - gobin_entry(l->bin);
	if (l->proc.bias && !gobin_is_pie(l->bin))
		return error_set(err, -EINVAL, "'%s' is not the program of the core file '%s', "
				 "which begins at another address: give the very same file by "
				 "--exe", exe, corefile_path(l->core));
	return corefile_set_program(l->core, gobin_elf(l->bin), l->proc.bias, exe, err);
}

static int look_open_core(struct look *l, const struct pick *pick, struct error *err)
{
	int r = corefile_open(&l->core, pick->core, err);

	if (r)
		return r;
	l->proc.core = l->core;
	l->proc.pid = corefile_pid(l->core);
	r = look_open_program(l, pick->exe ? pick->exe : corefile_program(l->core), err);
	if (!r && corefile_cut(l->core))
		fprintf(stderr, "gotap: '%s' was cut: it lacks %llu bytes of memory\n", pick->core,
			(unsigned long long)corefile_cut(l->core));
	return r;
}

/* --- an image in the place of a process --- */

int look_take_image(struct moment *ret, const struct process *p, const struct pick *pick,
		    const struct stop_request *stop, struct error *err)
{
	struct moment_opts opts = {
		.proc = p, .hold_ns = (uint64_t)(pick->hold * 1e9),
		.clear_again = pick->clear_again, .accept_seccomp = pick->accept_seccomp,
		.stop = stop,
	};
	int r = moment_take(ret, &opts, err);
	struct error why = *err;
	char rights[256];

	if (r == -EEXIST)
		return error_set(err, r, "%.400s: --clear-again, if it is no other program",
				 why.text);
	if (r == -ENOTSUP)
		return error_set(err, r, "%.400s: --accept-seccomp, if it allows it, as those of "
				 "Docker and systemd do", why.text);
	/* with all rights it is a debugger */
	if (r == -EPERM && p->fs.own && !(privilege_have() & PRIVILEGE_PTRACE)) {
		privilege_explain(PRIVILEGE_PTRACE, rights);
		return error_set(err, r, "%.200s (%.250s)", why.text, rights);
	}
	return r;
}

static int look_open_image_of(struct look *l, const struct process *p, const struct pick *pick,
			      struct error *err)
{
	char path[MOMENT_PATH];
	int r;

	pause_catch();
	r = look_take_image(&l->moment, p, pick, &(struct stop_request){ pause_signal(), NULL },
			    err);
	pause_release();
	if (!r)
		r = core_in_place(&l->moment, p, path, err);
	if (!r)
		r = corefile_open(&l->core, path, err);
	if (r)
		return r;
	fprintf(stderr, "gotap: process %d was stopped for %.3f ms; at most %.3f were allowed\n",
		p->pid, (double)l->moment.facts.hold_ns / 1e6,
		(double)l->moment.facts.bound_ns / 1e6);
	l->proc.core = l->core;
	l->proc.pid = p->pid;
	return look_open_program(l, p->exe, err);
}

static int look_open_image(struct look *l, const struct pick *pick, struct error *err)
{
	struct process p = PROCESS_CLOSED;
	struct procfs fs;
	pid_t pid = 0;
	int r = pick_process(pick, &fs, &pid, err);

	if (!r)
		r = process_open(&p, &fs, pid, err);
	if (r == -EACCES || r == -EPERM)
		return look_may_not_trace(pid, err);
	if (!r)
		r = pick_check(pick, &p, err);
	if (!r)
		r = look_open_image_of(l, &p, pick, err);
	process_close(&p);
	return r;
}

static int look_finish(struct look *l, int assume_minor, struct error *err)
{
	if (assume_minor)
		gobin_assume_minor(l->bin, assume_minor);
	module_find_debug(&l->proc, l->bin, &l->plugins, false);
	return look_open_symbols(l, err);
}

int look_open(struct look *l, const struct pick *pick, int assume_minor, struct error *err)
{
	struct procfs fs;
	pid_t pid;
	int r;

	if (pick->core) {
		r = look_open_core(l, pick, err);
		return r ? r : look_finish(l, assume_minor, err);
	}
	if (pick->image) {
		r = look_open_image(l, pick, err);
		return r ? r : look_finish(l, assume_minor, err);
	}
	r = pick_process(pick, &fs, &pid, err);

	if (!r)
		r = process_open(&l->proc, &fs, pid, err);
	if (r == -EACCES || r == -EPERM)
		return look_may_not_trace(pid, err);
	if (!r)
		r = pick_check(pick, &l->proc, err);
	if (!r)
		r = memory_begin(&l->proc, NULL, err);
	if (!r)
		r = module_open(&l->proc, &l->bin, &l->plugins, err);
	return r ? r : look_finish(l, assume_minor, err);
}

int look_fate(struct look *l, int r, struct error *err)
{
	if (l->proc.pidfd < 0 || !l->proc.exe_id[1])
		return r;
	switch (process_fate(&l->proc)) {
	case PROCESS_ENDED:
		return error_set(err, -ESRCH, "process %d has ended", l->proc.pid);
	case PROCESS_EXECED:
		return error_set(err, -ESTALE, "process %d has exec'ed another program meanwhile",
				 l->proc.pid);
	case PROCESS_SAME:
		break;
	}
	return r;
}

int look_hold_memory(struct look *l, struct error *err)
{
	int r;

	if (l->proc.writable >= 0)
		return 0;
	process_hold_memory(&l->proc);
	r = l->proc.writable < 0 ? -errno : 0;
	if (r)
		error_set(err, r,
			  "cannot write to the memory of process %d (%s): run gotap as root or "
			  "with CAP_SYS_PTRACE and CAP_DAC_OVERRIDE",
			  l->proc.pid, strerror(-r));
	/* the open file is of one program: checked now, it is so from now on */
	r = look_fate(l, r, err);
	if (r)
		process_leave_memory(&l->proc);
	return r;
}

void look_close(struct look *l)
{
	symbolizer_free(l->symbols);
	plugins_free(&l->plugins);
	gobin_free(l->bin);
	process_close(&l->proc);
	corefile_free(l->core);
	moment_free(&l->moment);
}
