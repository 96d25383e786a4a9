// SPDX-License-Identifier: Apache-2.0
/* room: see room.h. */
#include "inline/room.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inline/threads.h"
#include "proc/cgroup_memory.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)

/*
 * Bytes that the target's cgroup must have beyond the shared memory. It is charged with the code,
 * the control page and page tables for the shared memory: 8 bytes for each page of 4096, which is 1
 * byte for each 512. Measured with rings of 34 MB: 165 to 200 KiB. The rest of the margin is for
 * memory that the program takes meanwhile.
 */
#define ROOM_MARGIN MIB
#define ROOM_TABLES(bytes) ((bytes) / 512)
/* Go asks for address space in arenas of 64 MiB (heapArenaBytes): two of them must remain. */
#define ROOM_SPACE (128 * MIB)
/* The part of the machine's memory that must be left over. */
#define ROOM_MACHINE (64 * MIB)

enum { ROOM_FILE_MAX = 65536, CAP_IPC_LOCK_BIT = 14 };

static bool room_read(const struct process *p, pid_t pid, const char *name, struct buf *ret)
{
	*ret = (struct buf){0};
	return !procfs_read(&p->fs, pid, name, ROOM_FILE_MAX, ret);
}

/* --- memory cgroups --- */

static int room_in_cgroup(const struct process *p, const struct cgroup_mounts *mounts,
			  size_t code_size, size_t shared_size, struct error *err)
{
	struct buf theirs, ours = {0};
	struct cgroup_short missing;
	struct cgroup_need need = { .bytes = code_size + ROOM_TABLES(shared_size) + ROOM_MARGIN,
				    .other_bytes = shared_size };
	enum cgroup_room room = CGROUP_ROOM;

	if (room_read(p, p->pid, "cgroup", &theirs) && room_read(p, getpid(), "cgroup", &ours)) {
		need.text = (const char *)theirs.data;
		need.other = (const char *)ours.data;
		room = cgroup_memory_room(mounts, &need, &missing);
	}
	buf_free(&theirs);
	buf_free(&ours);
	if (room == CGROUP_NO_ROOM)
		return error_set(err, -ENOTSUP,
				 "the memory cgroup of process %d has too little room: %" PRIu64
				 " KiB below %s, and it takes %" PRIu64,
				 p->pid, (uint64_t)(missing.room / KIB), missing.file,
				 (uint64_t)(missing.needs / KIB));
	if (room == CGROUP_UNSEEN)
		return error_set(err, -ENOTSUP,
				 "the limits of process %d's memory cgroup cannot be seen: no "
				 "cgroup file system that "
				 "has it is mounted here",
				 p->pid);
	return 0;
}

/* --- limits of the process --- */

/* The soft limit, from "Max address space         unlimited            unlimited            bytes";
 * UINT64_MAX: none. */
static uint64_t room_limit(const struct process *p, const char *name)
{
	uint64_t limit = UINT64_MAX;
	struct buf text;
	const char *line = room_read(p, p->pid, "limits", &text) ?
				   strstr((const char *)text.data, name) :
				   NULL;

	if (line && sscanf(line + strlen(name), " %" SCNu64, &limit) != 1)
		limit = UINT64_MAX;
	buf_free(&text);
	return limit;
}

static uint64_t room_status_kib(const struct process *p, const char *field)
{
	long v = thread_status(p, 0, field);

	return v > 0 ? (uint64_t)v * KIB : 0;
}

static int room_below(const struct process *p, const char *name, const char *field, uint64_t needs,
		      struct error *err)
{
	uint64_t limit = room_limit(p, name), used = room_status_kib(p, field);

	if (limit == UINT64_MAX || (limit > used && limit - used >= needs))
		return 0;
	return error_set(err, -ENOTSUP,
			 "process %d is too near to a limit of it, %s: %" PRIu64 " of %" PRIu64
			 " KiB are used, and it "
			 "takes %" PRIu64 " to leave it enough",
			 p->pid, name, (uint64_t)(used / KIB), (uint64_t)(limit / KIB),
			 (uint64_t)(needs / KIB));
}

/*
 * Returns whether the process locks all memory that it makes (mlockall(MCL_FUTURE)): it has then
 * locked some.
 */
static bool room_is_locked(const struct process *p)
{
	uint64_t capabilities = 0;
	struct buf text;
	const char *line = room_read(p, p->pid, "status", &text) ?
				   strstr((const char *)text.data, "CapEff:") :
				   NULL;

	if (line)
		sscanf(line, "CapEff: %" SCNx64, &capabilities);
	buf_free(&text);
	return room_status_kib(p, "VmLck") && !(capabilities >> CAP_IPC_LOCK_BIT & 1);
}

static int room_in_limits(const struct process *p, size_t code_size, size_t shared_size,
			  struct error *err)
{
	uint64_t size = code_size + shared_size;
	int r = room_below(p, "Max address space", "VmSize", size + ROOM_SPACE, err);

	return r || !room_is_locked(p) ?
		       r :
		       room_below(p, "Max locked memory", "VmLck", size + ROOM_SPACE, err);
}

/* --- the machine --- */

/* Returns the value of a line of meminfo, in bytes; 0: there is none. */
static uint64_t room_meminfo(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	uint64_t kib = 0;

	return line && sscanf(line + strlen(name), " %" SCNu64, &kib) == 1 ? kib * KIB : 0;
}

static bool room_is_strict(void)
{
	FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
	int mode = 0;

	if (f && fscanf(f, "%d", &mode) != 1)
		mode = 0;
	if (f)
		fclose(f);
	return mode == 2;
}

static int room_in_machine(size_t shared_size, struct error *err)
{
	uint64_t available, limit, committed, needs = shared_size + ROOM_MACHINE;
	FILE *f = fopen("/proc/meminfo", "re");
	char text[8192];
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	available = room_meminfo(text, "MemAvailable:");
	limit = room_meminfo(text, "CommitLimit:");
	committed = room_meminfo(text, "Committed_AS:");
	if (available && available < needs)
		return error_set(err, -ENOTSUP,
				 "the machine has too little memory: %" PRIu64
				 " KiB are available, and it takes %" PRIu64,
				 (uint64_t)(available / KIB), (uint64_t)(needs / KIB));
	if (limit && room_is_strict() && limit < committed + needs)
		return error_set(err, -ENOTSUP,
				 "the machine has promised nearly all of its memory "
				 "(vm.overcommit_memory is 2, "
				 "Committed_AS in /proc/meminfo)");
	return 0;
}

int room_check(const struct process *p, const struct cgroup_mounts *mounts, size_t code_size,
	       size_t shared_size, struct error *err)
{
	int r = room_in_cgroup(p, mounts, code_size, shared_size, err);

	if (!r)
		r = room_in_limits(p, code_size, shared_size, err);
	return r ? r : room_in_machine(shared_size, err);
}
