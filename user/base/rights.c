// SPDX-License-Identifier: Apache-2.0
/* rights: see rights.h. */
#define _GNU_SOURCE
#include "base/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arch.h"

/* --- no exec gives a right --- */

static int rights_refused(const char *what, struct error *err)
{
	return error_set(err, -errno, "the kernel refuses %s, by which gotap gives up rights: %s",
			 what, strerror(errno));
}

/*
 * Reduces the bounding set to @bounding. -EPERM without CAP_SETPCAP: then only no_new_privs
 * protects.
 */
static int rights_bound(uint64_t bounding, struct error *err)
{
	unsigned long cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(bounding & 1ULL << cap) && prctl(PR_CAPBSET_DROP, cap) && errno != EPERM)
			return rights_refused("a smaller bounding set", err);
	return 0;
}

int rights_seal(uint64_t bounding, struct error *err)
{
	enum {
		BITS = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
		       SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return rights_refused("no_new_privs", err);
	if (!bounding) {
		/* -EINVAL before Linux 4.3, which has no ambient capabilities */
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		if (prctl(PR_SET_SECUREBITS, BITS) && errno != EPERM &&
		    prctl(PR_GET_SECUREBITS) != BITS)
			return rights_refused("the securebits", err);
	}
	return rights_bound(bounding, err);
}

int rights_drop_all(struct error *err)
{
	enum { NOBODY = 65534 };
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = {0};
	int r = rights_seal(0, err);

	if (r)
		return r;
	if (!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY))
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return syscall(SYS_capset, &head, none) ? rights_refused("no capabilities", err) : 0;
}

/* --- system calls --- */

enum { RIGHTS_CALLS = 96, RIGHTS_X32 = 0x40000000 };

/*
 * SECCOMP_FILTER_FLAG_SPEC_ALLOW (Linux 4.17): without the flag kernels up to 5.15 enable the
 * mitigation of Spectre 4 for each thread with a filter, and the thread is slower. The filters
 * restrict rights; no foreign code runs in these processes.
 */
static int rights_install(const struct sock_fprog *program, struct error *err)
{
#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, program))
		return 0;
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program))
		return 0;
	return error_set(err, -EPERM,
			 "the kernel refuses a seccomp filter for a process of gotap: %s",
			 strerror(errno));
}

/*
 * The kernel copies the program before it checks the caller's rights; at NULL the copy always
 * fails.
 */
bool rights_can_filter(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EFAULT;
}

#define RIGHTS_STMT(code, k) (struct sock_filter)BPF_STMT(code, k)
#define RIGHTS_JUMP(code, k, yes, no) (struct sock_filter)BPF_JUMP(code, k, yes, no)

/*
 * Installs a filter. @in: the action for the system calls in @calls; @other: for all other calls.
 * Numbers of the x32 ABI are refused.
 */
static int rights_filter(const int *calls, size_t n, uint32_t in, uint32_t other, struct error *err)
{
	struct sock_filter code[2 * RIGHTS_CALLS + 8];
	struct sock_fprog program = { .filter = code };
	size_t i, at = 0;

	if (n > RIGHTS_CALLS)
		return error_set(err, -E2BIG, "%zu system calls are too many for a filter", n);
	code[at++] = RIGHTS_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[at++] = RIGHTS_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0);
	code[at++] = RIGHTS_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[at++] = RIGHTS_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	code[at++] = RIGHTS_JUMP(BPF_JMP | BPF_JGE | BPF_K, RIGHTS_X32, 0, 1);
	code[at++] = RIGHTS_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	for (i = 0; i < n; i++) {
		code[at++] = RIGHTS_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i], 0, 1);
		code[at++] = RIGHTS_STMT(BPF_RET | BPF_K, in);
	}
	code[at++] = RIGHTS_STMT(BPF_RET | BPF_K, other);
	program.len = (unsigned short)at;
	return rights_install(&program, err);
}

int rights_refuse_calls(const int *calls, size_t n, struct error *err)
{
	return rights_filter(calls, n, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, err);
}

int rights_allow_calls(const int *calls, size_t n, struct error *err)
{
	return rights_filter(calls, n, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM, err);
}

/* The flags are the first argument of clone(2) on x86-64 and arm64; the lower half has all. */
int rights_refuse_processes(struct error *err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RIGHTS_CLONE3, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 2),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = {
		.filter = code, .len = sizeof(code) / sizeof(code[0]),
	};

	return rights_install(&program, err);
}

/* exec must be first. The isolated process sets its ids with setresuid(2) and setresgid(2). */
static const int usual[] = {
	SYS_execve,
	SYS_execveat,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_adjtimex,
	SYS_clock_adjtime,
	SYS_open_by_handle_at,
	SYS_process_vm_writev,
	SYS_personality,
	SYS_syslog,
	SYS_vhangup,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setfsuid,
	SYS_setfsgid,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_userfaultfd
	SYS_userfaultfd,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
#ifdef SYS_open_tree
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsmount,
#endif
#ifdef SYS_iopl
	SYS_iopl,
	SYS_ioperm,
#endif
};

enum { USUAL = sizeof(usual) / sizeof(usual[0]), USUAL_EXEC = 2 };

int rights_refuse_usual(struct error *err)
{
	return rights_refuse_calls(usual, USUAL, err);
}

int rights_refuse_usual_but_exec(struct error *err)
{
	return rights_refuse_calls(usual + USUAL_EXEC, USUAL - USUAL_EXEC, err);
}
