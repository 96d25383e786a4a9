// SPDX-License-Identifier: Apache-2.0
/* machine: see machine.h. */
#include "proc/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "proc/kernel_btf.h"

const char machine_too_old[] = "this kernel is too old: gotap needs Linux 5.8 or later";
const char machine_no_btf[] =
	"this kernel's BTF (/sys/kernel/btf/vmlinux) cannot be read: mount /sys, or give a file "
	"of this kernel's with --btf, from BTFHub or pahole (docs/kernels.md)";

static int machine_setting(const char *path)
{
	FILE *f = fopen(path, "re");
	int v;

	if (!f)
		return MACHINE_UNKNOWN;
	if (fscanf(f, "%d", &v) != 1)
		v = MACHINE_UNKNOWN;
	fclose(f);
	return v;
}

/* Reads the mode in brackets, which is in force: "none [integrity] confidentiality". */
static void read_lockdown(char ret[32])
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "", *s;

	if (!f)
		return;
	s = fgets(line, sizeof(line), f) ? strchr(line, '[') : NULL;
	if (s)
		snprintf(ret, 32, "%.*s", (int)strcspn(s + 1, "]"), s + 1);
	fclose(f);
}

static void read_release(struct machine *m)
{
	struct utsname u;

	if (uname(&u))
		return;
	snprintf(m->release, sizeof(m->release), "%s", u.release);
	if (sscanf(u.release, "%d.%d", &m->major, &m->minor) != 2)
		m->major = m->minor = 0;
}

void machine_look(struct machine *m)
{
	*m = (struct machine){
		.btf = kernel_btf_file() || !access("/sys/kernel/btf/vmlinux", R_OK),
		.perf_event_paranoid = machine_setting("/proc/sys/kernel/perf_event_paranoid"),
		.unprivileged_bpf_disabled =
			machine_setting("/proc/sys/kernel/unprivileged_bpf_disabled"),
		.ptrace_scope = machine_setting("/proc/sys/kernel/yama/ptrace_scope"),
		.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN),
	};
	read_release(m);
	read_lockdown(m->lockdown);
}

static bool release_is(const struct machine *m, int major, int minor)
{
	return m->major > major || (m->major == major && m->minor >= minor);
}

const char *machine_lacks(const struct machine *m)
{
	if (!release_is(m, 5, 8))
		return machine_too_old;
	return m->btf ? NULL : machine_no_btf;
}

bool machine_release_is(int major, int minor)
{
	struct machine m = {0};

	read_release(&m);
	return release_is(&m, major, minor);
}
