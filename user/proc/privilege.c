// SPDX-License-Identifier: Apache-2.0
/* privilege: see privilege.h. */
#define _GNU_SOURCE
#include "proc/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/rights.h"

/* Linux 5.8; older headers lack them. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static const struct {
	enum privilege bit;
	int cap;
	const char *name, *setcap;
	bool admin_will_do;
} table[] = {
	{ PRIVILEGE_BPF, CAP_BPF, "CAP_BPF", "cap_bpf", true },
	{ PRIVILEGE_PERFMON, CAP_PERFMON, "CAP_PERFMON", "cap_perfmon", true },
	{ PRIVILEGE_PTRACE, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "cap_sys_ptrace", false },
	{ PRIVILEGE_ADMIN, CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "cap_sys_admin", false },
	{ PRIVILEGE_NICE, CAP_SYS_NICE, "CAP_SYS_NICE", "cap_sys_nice", false },
	{ PRIVILEGE_READ, CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", "cap_dac_read_search",
	  false },
};

/* Both capabilities are in the first word of a set. */
static const uint32_t file_caps = 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER;

static bool files_reserved, files_without_effect;

enum { ROWS = sizeof(table) / sizeof(table[0]) };

static bool get_caps(struct __user_cap_data_struct caps[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(SYS_capget, &head, caps);
}

static bool is_in_effect(const struct __user_cap_data_struct caps[2], int cap)
{
	return caps[cap / 32].effective & 1u << cap % 32;
}

unsigned int privilege_have(void)
{
	struct __user_cap_data_struct caps[2];
	unsigned int have = 0;
	int i;

	if (!get_caps(caps))
		return 0;
	for (i = 0; i < ROWS; i++)
		if (is_in_effect(caps, table[i].cap) ||
		    (table[i].admin_will_do && is_in_effect(caps, CAP_SYS_ADMIN)))
			have |= table[i].bit;
	return have;
}

const char *privilege_name(enum privilege p)
{
	int i;

	for (i = 0; i < ROWS; i++)
		if (table[i].bit == p)
			return table[i].name;
	return "";
}

/* Fills @ret with "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE"; "" for none. */
static void privilege_list(unsigned int set, char ret[80])
{
	size_t n = 0;
	int i;

	ret[0] = 0;
	for (i = 0; i < ROWS; i++) {
		if (!(set & table[i].bit))
			continue;
		set &= ~(unsigned int)table[i].bit;
		n += (size_t)snprintf(ret + n, 80 - n, "%s%s", !n ? "" : set ? ", " : " and ",
				      table[i].name);
	}
}

static void setcap_list(unsigned int set, char ret[80])
{
	size_t n = 0;
	int i;

	for (i = 0; i < ROWS; i++)
		if (set & table[i].bit)
			n += (size_t)snprintf(ret + n, 80 - n, "%s%s", n ? "," : "",
					      table[i].setcap);
}

bool privilege_in_user_namespace(void)
{
	unsigned int inside = 0, outside = 0, count = 0;
	FILE *f = fopen("/proc/self/uid_map", "re");
	bool is;

	if (!f)
		return false;
	is = fscanf(f, "%u %u %u", &inside, &outside, &count) != 3 || inside || outside ||
	     count != UINT32_MAX;
	fclose(f);
	return is;
}

/*
 * Whether a filter of others was in force before gotap's own, with which PR_GET_SECCOMP only shows
 * that there is one.
 */
static bool filtered_by_us, filtered_before;

bool privilege_has_seccomp(void)
{
	return filtered_by_us ? filtered_before : prctl(PR_GET_SECCOMP) > 0;
}

int privilege_filter(bool exec, struct error *err)
{
	filtered_before = privilege_has_seccomp();
	filtered_by_us = true;
	return exec ? rights_refuse_usual_but_exec(err) : rights_refuse_usual(err);
}

void privilege_explain(unsigned int needs, char ret[256])
{
	unsigned int missing = needs & ~privilege_have();
	char names[80], setcap[80] = "";

	if (missing) {
		privilege_list(missing, names);
		setcap_list(needs, setcap);
		snprintf(ret, 256, "%s %s missing; run gotap as root, or once: setcap %s+ep "
			 "$(command -v gotap)",
			 names, missing & (missing - 1) ? "are" : "is", setcap);
	} else if (privilege_in_user_namespace()) {
		snprintf(ret, 256, "gotap runs in a user namespace, where its capabilities do not "
			 "count; run it in the machine's own");
	} else if (privilege_has_seccomp()) {
		snprintf(ret, 256, "a seccomp filter forbids it; run the container with "
			 "--privileged or --security-opt seccomp=unconfined");
	} else {
		snprintf(ret, 256, "the capabilities are there, so a security module (SELinux, "
			 "AppArmor, lockdown) forbids it; see the kernel's log");
	}
}

int privilege_keep(unsigned int keep, struct error *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2], kept[2] = {0};
	int i;

	if (!get_caps(caps))
		return error_set(err, -errno, "cannot read capabilities: %s", strerror(errno));
	for (i = 0; i < ROWS; i++) {
		int word = table[i].cap / 32;
		uint32_t bit = 1u << table[i].cap % 32;

		if (!(keep & table[i].bit))
			continue;
		kept[word].permitted |= caps[word].permitted & bit;
		kept[word].effective |= caps[word].effective & bit;
	}
	if (files_reserved)
		kept[0].permitted |= caps[0].permitted & file_caps;
	if (rights_seal(0, err))
		return err->code;
	if (syscall(SYS_capset, &head, kept))
		return error_set(err, -errno, "cannot give up capabilities: %s", strerror(errno));
	files_without_effect = files_reserved;
	return 0;
}

/*
 * The capabilities that `gotap record` and `gotap ps` use as child processes, and those that they
 * need to give them up (CAP_SETPCAP, ids).
 */
static const int for_children[] = {
	CAP_BPF,          CAP_PERFMON,      CAP_SYS_PTRACE,      CAP_SYS_ADMIN, CAP_SYS_NICE,
	CAP_SYS_RESOURCE, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,    CAP_KILL,
	CAP_SETPCAP,      CAP_SETUID,       CAP_SETGID,
};

int privilege_keep_for_children(struct error *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	uint64_t keep = 0;
	size_t i;

	if (!get_caps(caps))
		return error_set(err, -errno, "cannot read capabilities: %s", strerror(errno));
	for (i = 0; i < sizeof(for_children) / sizeof(for_children[0]); i++)
		keep |= 1ULL << for_children[i];
	if (rights_seal(keep, err))
		return err->code;
	for (i = 0; i < 2; i++) {
		caps[i].permitted &= (uint32_t)(keep >> 32 * i);
		caps[i].effective &= (uint32_t)(keep >> 32 * i);
		caps[i].inheritable &= (uint32_t)(keep >> 32 * i);
	}
	if (syscall(SYS_capset, &head, caps))
		return error_set(err, -errno, "cannot give up capabilities: %s", strerror(errno));
	return privilege_filter(true, err);
}

/* A failure is not reported here: the system call that needs the right fails. */
static void privilege_set_effect(unsigned int set, bool effect)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	int i;

	if (!get_caps(caps))
		return;
	for (i = 0; i < ROWS; i++) {
		int word = table[i].cap / 32;
		uint32_t bit = 1u << table[i].cap % 32;

		if (!(set & table[i].bit))
			continue;
		caps[word].effective &= ~bit;
		if (effect)
			caps[word].effective |= caps[word].permitted & bit;
	}
	syscall(SYS_capset, &head, caps);
}

void privilege_raise(unsigned int set)
{
	privilege_set_effect(set, true);
}

bool privilege_may_raise(enum privilege p)
{
	struct __user_cap_data_struct caps[2];
	int i;

	for (i = 0; i < ROWS; i++)
		if (table[i].bit == p && get_caps(caps))
			return caps[table[i].cap / 32].permitted & 1u << table[i].cap % 32;
	return false;
}

void privilege_lower(unsigned int set)
{
	privilege_set_effect(set, false);
}

bool privilege_owns_files(void)
{
	struct __user_cap_data_struct caps[2];

	return get_caps(caps) && is_in_effect(caps, CAP_FOWNER);
}

void privilege_reserve_files(void)
{
	files_reserved = true;
}

/*
 * Returns whether the user's own rights are enough: @folder belongs to the user, and can be opened
 * without rights to files of others.
 */
static bool is_open_to_user(const char *folder)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2], less[2];
	struct stat st;
	int dir = -1;

	if (!get_caps(caps) || stat(folder, &st) || st.st_uid != geteuid())
		return false;
	memcpy(less, caps, sizeof(less));
	less[0].effective &= ~(file_caps | 1u << CAP_DAC_READ_SEARCH);
	if (!syscall(SYS_capset, &head, less))
		dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	syscall(SYS_capset, &head, caps);
	if (dir >= 0)
		close(dir);
	return dir >= 0;
}

void privilege_reserve_folder(const char *folder)
{
	if (!is_open_to_user(folder))
		privilege_reserve_files();
}

void privilege_reserve_no_files(void)
{
	files_reserved = false;
}

/* A failure is not reported here: the system call that needs the right fails. */
static void set_effect(bool effect)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (!files_without_effect || !get_caps(caps))
		return;
	caps[0].effective &= ~file_caps;
	if (effect)
		caps[0].effective |= caps[0].permitted & file_caps;
	syscall(SYS_capset, &head, caps);
}

void privilege_raise_files(void)
{
	set_effect(true);
}

void privilege_lower_files(void)
{
	set_effect(false);
}
