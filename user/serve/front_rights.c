// SPDX-License-Identifier: Apache-2.0
/* front_rights: what the front gives up, and which system calls it keeps. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/empty_root.h"
#include "base/rights.h"
#include "serve/front_internal.h"

/*
 * Connections that are accepted, packets on sockets that are there, memory, threads, waiting: the
 * calls of libmicrohttpd, of malloc and of threads. poll(2) has no number on arm64.
 */
static const int allowed[] = {
	SYS_accept4,       SYS_shutdown,      SYS_setsockopt,    SYS_getsockopt,
	SYS_getsockname,   SYS_getpeername,   SYS_sendto,        SYS_recvfrom,
	SYS_sendmsg,       SYS_recvmsg,       SYS_read,          SYS_write,
	SYS_readv,         SYS_writev,        SYS_close,         SYS_fcntl,
	SYS_ppoll,         SYS_eventfd2,      SYS_pipe2,         SYS_futex,
	SYS_mmap,          SYS_munmap,        SYS_mremap,        SYS_mprotect,
	SYS_madvise,       SYS_brk,           SYS_clone,         SYS_set_robust_list,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sched_yield,   SYS_sched_getaffinity,
	SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep,   SYS_gettimeofday,
	SYS_getrandom,     SYS_gettid,        SYS_getppid,       SYS_restart_syscall,
	SYS_exit,          SYS_exit_group,
	/* rights_refuse_processes() answers it with ENOSYS, which must not become EPERM */
	RIGHTS_CLONE3,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_time
	SYS_time,
#endif
#ifdef SYS_rseq
	SYS_rseq,
#endif
};

/* PR_SET_PDEATHSIG is taken back by a change of ids, and is asked for by a call that is refused. */
int front_rights_drop(struct error *err)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	if (empty_root_enter(err) || rights_drop_all(err))
		return err->code;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (rights_refuse_processes(err))
		return err->code;
	return rights_allow_calls(allowed, sizeof(allowed) / sizeof(allowed[0]), err);
}
