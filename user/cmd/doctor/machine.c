// SPDX-License-Identifier: Apache-2.0
/* machine: the kernel and our privileges, by asking the kernel itself; see doctor.h. */
#include "cmd/doctor/doctor.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/tracepoints.h"
#include "attach/uprobe_multi.h"
#include "base/build.h"
#include "base/rights.h"
#include "proc/cgroup_cpu.h"
#include "proc/kernel_atomics.h"
#include "proc/kernel_btf.h"
#include "proc/machine.h"
#include "proc/privilege.h"
#include "record.h"
#include "threads/lacks.h"

static const char machine_area[] = "machine", privileges_area[] = "privileges";

static void look_at_release(struct doctor *d, const struct machine *m)
{
	bool old = machine_lacks(m) == machine_too_old;
	struct finding *f = doctor_add(d, old ? LEVEL_FAIL : LEVEL_OK, machine_area, "kernel",
				       "Linux %s, %d CPUs", m->release, m->cpus);

	if (old)
		snprintf(f->remedy, sizeof(f->remedy), "%s", machine_too_old);
}

static void look_at_btf(struct doctor *d, const struct machine *m)
{
	struct error err = {0};
	struct finding *f;

	if (kernel_btf_check(&err)) {
		doctor_add(d, LEVEL_FAIL, machine_area, "BTF", "%s", err.text);
	} else if (kernel_btf_file()) {
		doctor_add(d, LEVEL_OK, machine_area, "BTF", "of the file %.200s",
			   kernel_btf_file());
	} else if (m->btf) {
		doctor_add(d, LEVEL_OK, machine_area, "BTF",
			   "the kernel describes its types (/sys/kernel/btf/vmlinux)");
	} else {
		f = doctor_add(d, LEVEL_FAIL, machine_area, "BTF",
			       "/sys/kernel/btf/vmlinux cannot be read");
		snprintf(f->remedy, sizeof(f->remedy), "%s", machine_no_btf);
	}
}

/* Nothing on an architecture that needs none. */
static void look_at_atomics(struct doctor *d)
{
	struct error err = {0};
	struct finding *f;

	if (!kernel_atomics_needed())
		return;
	if (!kernel_atomics_check(&err)) {
		doctor_add(d, LEVEL_OK, machine_area, "atomic instructions", "%s",
			   privilege_have() & PRIVILEGE_BPF ?
				   "the kernel compiles those of BPF" :
				   "not known: BPF is not allowed to us");
		return;
	}
	f = doctor_add(d, LEVEL_FAIL, machine_area, "atomic instructions",
		       "the kernel does not compile those of BPF");
	snprintf(f->remedy, sizeof(f->remedy), "%s", kernel_atomics_lacking);
}

static void look_at_rings(struct doctor *d)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "gotap_probe", 4, 8, 1, &opts);

	if (fd >= 0) {
		doctor_add(d, LEVEL_OK, machine_area, "ring buffers", "yes");
		close(fd);
	} else if (errno == EPERM || errno == EACCES) {
		doctor_add(d, LEVEL_NOTE, machine_area, "ring buffers",
			   "not known: BPF is not allowed to us");
	} else {
		doctor_add(d, LEVEL_FAIL, machine_area, "ring buffers",
			   "the kernel shares no BPF maps: %s", strerror(errno));
	}
}

static bool has_pressure(void)
{
	const struct cgroup_mounts none = {0};
	struct procfs fs;
	struct pressure p;
	struct error err = {0};

	return !procfs_open(&fs, NULL, &err) && pressure_read(&none, "", &fs, "cpu", &p);
}

/* Group linux, and what of it this kernel does not tell. */
static void look_at_threads(struct doctor *d)
{
	const char *texts[THREADS_LACKS];
	struct tracepoints t;
	struct error err = {0};
	struct finding *f;
	unsigned int i, n;
	size_t len;

	if (tracepoints_find(&t, &err)) {
		doctor_add(d, LEVEL_NOTE, machine_area, "threads", "no --events +linux: %s",
			   err.text);
		return;
	}
	n = threads_lacks(tracepoints_lack(&t) | (has_pressure() ? 0 : REC_WITHOUT_PRESSURE),
			  texts);
	f = doctor_add(d, LEVEL_OK, machine_area, "threads",
		       "--events +linux shows when they are on a CPU, and why not");
	for (i = 0; i < n; i++) {
		len = strlen(f->text);
		snprintf(f->text + len, sizeof(f->text) - len, "%s%s",
			 i ? "; " : "; not known on this kernel: ", texts[i]);
	}
}

/* The way of attaching that AUTO will choose. */
static bool look_at_attaching(struct doctor *d)
{
	bool multi = uprobe_multi_supported();

	if (multi)
		doctor_add(d, LEVEL_OK, machine_area, "attach",
			   "uprobe_multi: all probes of a program in one link");
	else
		doctor_add(d, LEVEL_NOTE, machine_area, "attach",
			   "perf uprobes, one by one, for which kernels since 2025 want "
			   "CAP_SYS_ADMIN (uprobe_multi comes with Linux 6.10)");
	return multi;
}

static void look_at_privilege(struct doctor *d, enum privilege p, enum level without,
			      const char *use)
{
	bool has = privilege_have() & p;

	doctor_add(d, has ? LEVEL_OK : without, privileges_area, privilege_name(p), "%s: %s",
		   has ? "yes" : "missing", use);
}

static void look_at_privileges(struct doctor *d, bool multi)
{
	unsigned int needs = PRIVILEGE_BPF | PRIVILEGE_PERFMON | PRIVILEGE_PTRACE;
	size_t first = d->findings.len;
	struct finding *f;

	look_at_privilege(d, PRIVILEGE_BPF, LEVEL_FAIL, "to load BPF programs");
	look_at_privilege(d, PRIVILEGE_PERFMON, LEVEL_FAIL, "to trace with them");
	look_at_privilege(d, PRIVILEGE_PTRACE, LEVEL_NOTE,
			  "to read the memory of other users' processes");
	look_at_privilege(d, PRIVILEGE_ADMIN, LEVEL_NOTE,
			  multi ? "not needed here" : "to probe without uprobe_multi");
	for (; first < d->findings.len; first++) {
		f = vec_at(&d->findings, struct finding, first);
		if (f->level != LEVEL_FAIL)
			continue;
		/* one remedy for all of them */
		privilege_explain(multi ? needs : needs | PRIVILEGE_ADMIN, f->remedy);
		return;
	}
}

static void look_at_filters(struct doctor *d)
{
	if (rights_can_filter())
		doctor_add(d, LEVEL_OK, privileges_area, "seccomp filters",
			   "the kernel takes them: gotap gives up system calls once it is set up");
	else
		doctor_add(d, LEVEL_FAIL, privileges_area, "seccomp filters",
			   "the kernel takes none, and gotap does not run without: it needs "
			   "CONFIG_SECCOMP_FILTER, and a container that allows seccomp()");
}

static void look_at_limits(struct doctor *d)
{
	if (privilege_in_user_namespace())
		doctor_add(d, LEVEL_FAIL, privileges_area, "user namespace",
			   "gotap runs in one, where its capabilities do not count for BPF");
	if (privilege_has_seccomp())
		doctor_add(d, LEVEL_NOTE, privileges_area, "seccomp",
			   "a filter watches our system calls; Docker's own forbids bpf() unless "
			   "the container has CAP_BPF or CAP_SYS_ADMIN");
}

static void look_at_settings(struct doctor *d, const struct machine *m, bool multi)
{
	if (m->perf_event_paranoid != MACHINE_UNKNOWN && !multi)
		doctor_add(d, LEVEL_NOTE, machine_area, "perf_event_paranoid",
			   "%d (of no matter with CAP_PERFMON)", m->perf_event_paranoid);
	if (m->unprivileged_bpf_disabled != MACHINE_UNKNOWN)
		doctor_add(d, LEVEL_OK, machine_area, "unprivileged BPF",
			   "%s (of no matter with CAP_BPF)",
			   m->unprivileged_bpf_disabled ? "forbidden" : "allowed");
	if (m->ptrace_scope == 3)
		doctor_add(d, LEVEL_FAIL, machine_area, "ptrace_scope",
			   "3: no process may read another's memory, root or not, until the next "
			   "boot");
	else if (m->ptrace_scope > 0)
		doctor_add(d, LEVEL_OK, machine_area, "ptrace_scope",
			   "%d (of no matter with CAP_SYS_PTRACE)", m->ptrace_scope);
	if (!strcmp(m->lockdown, "confidentiality"))
		doctor_add(d, LEVEL_NOTE, machine_area, "lockdown",
			   "confidentiality: the kernel may refuse tracing programs");
	else if (*m->lockdown)
		doctor_add(d, LEVEL_OK, machine_area, "lockdown", "%s", m->lockdown);
}

static void look_at_this_gotap(struct doctor *d)
{
	unsigned int i;

	for (i = 0; build_lacks(i); i++)
		doctor_add(d, LEVEL_NOTE, machine_area, "this gotap", "%s, lacks %s",
			   build_is_static() ? "static" : "with shared libraries", build_lacks(i));
}

void doctor_look_at_machine(struct doctor *d)
{
	struct machine m;
	bool multi;

	machine_look(&m);
	look_at_release(d, &m);
	look_at_btf(d, &m);
	look_at_rings(d);
	look_at_atomics(d);
	look_at_threads(d);
	multi = look_at_attaching(d);
	look_at_settings(d, &m, multi);
	look_at_privileges(d, multi);
	look_at_filters(d);
	look_at_limits(d);
	look_at_this_gotap(d);
}
