// SPDX-License-Identifier: Apache-2.0
/* follow: see follow.h. */
#include "follow/follow.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/vec.h"
#include "follow_event.h"
#include "follow.skel.h"
#include "follow/catch.h"
#include "proc/kernel_atomics.h"
#include "proc/kernel_btf.h"
#include "proc/machine.h"
#include "proc/privilege.h"

struct follow {
	struct procfs fs;
	struct follow_bpf *skel;
	struct catchers *catchers;
	pthread_mutex_t lock;
	struct vec execs;	/* struct follow_exec; under lock */
	size_t next;		/* index of the first that was not taken; under lock */
	uint64_t missed;	/* execs for which the list had no room; under lock */
	int ready;		/* eventfd: their number */
};

enum { EXECS = 65536 };		/* most execs that wait for a slow caller */

static int follow_quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

static int follow_load_error(int e, struct error *err)
{
	unsigned int needs = PRIVILEGE_BPF | PRIVILEGE_PERFMON;
	struct machine m;
	char why[256];

	if (e == -EPERM || (e == -EACCES && needs & ~privilege_have())) {
		privilege_explain(needs | PRIVILEGE_PTRACE, why);
		return error_set(err, e, "not allowed to load BPF programs: %s", why);
	}
	/* Tracepoints with types: the kernel must know these itself. */
	if (e == -ESRCH && kernel_btf_file())
		return error_set(err, -ENOTSUP,
				 "following processes needs the kernel's own BTF "
				 "(/sys/kernel/btf/vmlinux), which --btf cannot replace");
	machine_look(&m);
	if (machine_lacks(&m))
		return error_set(err, -ENOTSUP, "%s", machine_lacks(&m));
	return error_set(err, e, "the kernel refused the BPF programs that follow processes: %s",
			 strerror(-e));
}

static int follow_load(struct follow *f, const char *name, struct error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = kernel_btf_file());
	int r;

	libbpf_set_print(follow_quiet);
	r = kernel_btf_check(err);
	if (!r)		/* these programs need none, but those that record do */
		r = kernel_atomics_check(err);
	if (r)
		return r;
	f->skel = follow_bpf__open_opts(&opts);
	if (!f->skel)
		return follow_load_error(-errno, err);
	if (name) {
		strncpy((char *)f->skel->rodata->name_begin, name, FOLLOW_NAME - 1);
		f->skel->rodata->first_processes = true;
	}
	r = follow_bpf__load(f->skel);
	return r ? follow_load_error(r, err) : 0;
}

/* Called in a thread of catch. */
static void follow_caught(void *ctx, const struct follow_exec *e)
{
	struct follow *f = ctx;
	uint64_t one = 1;

	pthread_mutex_lock(&f->lock);
	if (f->execs.len - f->next < EXECS)
		*(struct follow_exec *)vec_push(&f->execs, sizeof(*e)) = *e;
	else
		f->missed++;	/* a held process is continued after a time limit (catch.c) */
	pthread_mutex_unlock(&f->lock);
	if (write(f->ready, &one, sizeof(one)) < 0)
		return;		/* the eventfd is readable already */
}

/*
 * Starts the threads that catch before the programs of the kernel side, so that each reported exec
 * has a thread.
 */
static int follow_start(struct follow *f, const char *name, struct error *err)
{
	int r = follow_load(f, name, err);

	if (r)
		return r;
	f->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->ready < 0)
		return error_set(err, -errno, "cannot make an eventfd: %s", strerror(errno));
	r = catch_start(
		&f->catchers,
		&(struct catch_opts){ &f->fs, bpf_map__fd(f->skel->maps.events), follow_caught, f },
		err);
	if (r)
		return r;
	r = follow_bpf__attach(f->skel);
	return r ? follow_load_error(r, err) : 0;
}

int follow_open(struct follow **ret, const char *name, struct error *err)
{
	struct follow *f = xcalloc(1, sizeof(*f));
	int r = procfs_open(&f->fs, NULL, err);

	f->ready = -1;
	pthread_mutex_init(&f->lock, NULL);
	if (!r && !f->fs.initial)
		r = error_set(
			err, -ENOTSUP,
			"processes can be followed only from the machine's first PID namespace: "
			"run "
			"gotap outside of the container, or in one with the host's PID namespace");
	if (!r)
		r = follow_start(f, name, err);
	if (r) {
		follow_close(f);
		return r;
	}
	*ret = f;
	return 0;
}

static int map_of(const struct follow *f)
{
	return bpf_map__fd(f->skel->maps.followed);
}

/*
 * Returns false if the thread is exiting or gone. A thread sets PF_EXITING before it reaches the
 * tracepoint of its exit. Reads the flags first: the state is then not older than the flags.
 */
static bool thread_goes_on(const struct follow *f, pid_t tid)
{
	enum { FLAGS = 9, EXITING = 4 };	/* field of the stat file; PF_EXITING */
	bool exits = procfs_stat_field(&f->fs, tid, FLAGS) & EXITING;
	struct procfs_status st;

	return !procfs_status(&f->fs, tid, "status", &st) && !exits && st.state != 'Z' &&
	       st.state != 'X';
}

static bool any_thread_goes_on(const struct follow *f, pid_t pid)
{
	struct vec tids = {0};
	bool any = false;
	size_t i;

	procfs_tids(&f->fs, pid, &tids);
	for (i = 0; i < tids.len && !any; i++)
		any = thread_goes_on(f, *vec_at(&tids, pid_t, i));
	vec_free(&tids);
	return any;
}

/*
 * Returns whether any thread of the process goes on. Checks the first thread twice: a thread that
 * execs takes the first one's id, so that one look may find neither.
 */
static bool follow_goes_on(const struct follow *f, pid_t pid)
{
	return thread_goes_on(f, pid) || any_thread_goes_on(f, pid) || thread_goes_on(f, pid);
}

/*
 * The kernel side removes a process from the set when it ends. A process that has passed that point
 * already, as a zombie, would remain in the set, and a later process with its id would be followed.
 * The check whether the process lives therefore follows the insertion.
 */
int follow_add(struct follow *f, pid_t pid, struct error *err)
{
	uint32_t tgid = (uint32_t)pid;
	uint8_t one = 1;

	if (bpf_map_update_elem(map_of(f), &tgid, &one, BPF_ANY))
		return error_set(err, -errno, "cannot follow process %d: %s", pid, strerror(errno));
	if (!follow_goes_on(f, pid))
		bpf_map_delete_elem(map_of(f), &tgid);
	return 0;
}

void follow_own_child(struct follow *f, pid_t pid)
{
	catch_own_child(f->catchers, pid);
}

bool follow_has(const struct follow *f, pid_t pid)
{
	uint32_t tgid = (uint32_t)pid;
	uint8_t value;

	return !bpf_map_lookup_elem(map_of(f), &tgid, &value);
}

bool follow_any(const struct follow *f)
{
	uint32_t tgid;

	return !bpf_map_get_next_key(map_of(f), NULL, &tgid);
}

int follow_fd(const struct follow *f)
{
	return f->ready;
}

/*
 * Drops execs that were taken, once they are at least as many as those that wait: each item is then
 * moved once on average.
 */
static void follow_make_room(struct follow *f)
{
	struct follow_exec *e = f->execs.data;
	size_t left = f->execs.len - f->next;

	if (!f->next || f->next < left)
		return;
	memmove(e, e + f->next, left * sizeof(*e));
	f->execs.len = left;
	f->next = 0;
}

bool follow_next(struct follow *f, struct follow_exec *ret)
{
	uint64_t n;
	bool any;

	pthread_mutex_lock(&f->lock);
	any = f->next < f->execs.len;
	if (any) {
		*ret = *vec_at(&f->execs, struct follow_exec, f->next++);
		follow_make_room(f);
	} else if (read(f->ready, &n, sizeof(n)) < 0) {
		any = false;	/* it was not readable */
	}
	pthread_mutex_unlock(&f->lock);
	return any;
}

bool follow_hold(struct follow *f, pid_t pid)
{
	return catch_hold(f->catchers, pid);
}

void follow_release(struct follow *f, pid_t pid)
{
	catch_release(f->catchers, pid);
}

struct follow_counts follow_counts(struct follow *f)
{
	struct follow_counts ret = {
		.not_followed = f->skel->bss->not_followed,
		.not_reported = f->skel->bss->not_reported + catch_lost(f->catchers),
	};

	pthread_mutex_lock(&f->lock);
	ret.not_reported += f->missed;
	pthread_mutex_unlock(&f->lock);
	return ret;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	if (f->skel)
		follow_bpf__detach(f->skel);
	catch_stop(f->catchers);
	follow_bpf__destroy(f->skel);
	if (f->ready >= 0)
		close(f->ready);
	vec_free(&f->execs);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
