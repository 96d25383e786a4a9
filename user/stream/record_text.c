// SPDX-License-Identifier: Apache-2.0
/* record_text: see record_text.h. */
#include "stream/record_text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "release/release.h"

/* A row of record.def: the name of the kind, and the content of its words. */
static const struct kind_words {
	const char *name;
	enum rec_word id, ptr, sub, flags, stack, arg;
} kinds[256] = {
#define KIND(number, name, layout, family, id, ptr, sub, flags, stack, arg) \
	[number] = { #name, REC_WORD_##id, REC_WORD_##ptr, REC_WORD_##sub, REC_WORD_##flags, \
		     REC_WORD_##stack, REC_WORD_##arg },
#include "record.def"
#undef KIND
};

static const char *const word_names[] = {
	[REC_WORD_GOID] = "goid",
	[REC_WORD_GOID_OR_TOLD] = "goid",
	[REC_WORD_G] = "g",
	[REC_WORD_P_ID] = "p.id",
	[REC_WORD_P] = "p",
	[REC_WORD_TID] = "tid",
	[REC_WORD_STACK] = "stack",
	[REC_WORD_PC] = "pc",
	[REC_WORD_ADDRESS] = "address",
	[REC_WORD_BYTES] = "bytes",
	[REC_WORD_PAGES] = "pages",
	[REC_WORD_COUNT] = "count",
	[REC_WORD_PART] = "part",
	[REC_WORD_CPU] = "cpu",
	[REC_WORD_TIME] = "time",
	[REC_WORD_NS] = "ns/s",
	[REC_WORD_TASK] = "task",
	[REC_WORD_TYPE] = "type",
	[REC_WORD_SLOTS] = "slots",
	[REC_WORD_TEXT8] = "preemptoff",
	[REC_WORD_WAIT_REASON] = "waitreason",
	[REC_WORD_STW_REASON] = "stwreason",
	[REC_WORD_STOP] = "stop",
	[REC_WORD_WORKER] = "worker",
	[REC_WORD_SAME_P] = "same-p",
	[REC_WORD_PSTART] = "by",
	[REC_WORD_SWEEP] = "sweep",
	[REC_WORD_SWEEP_MARK] = "mark",
	[REC_WORD_CLASS] = "class",
	[REC_WORD_IN_SYSCALL] = "in-syscall",
	[REC_WORD_G_STATUS] = "status",
	[REC_WORD_GC_PHASE] = "phase",
	[REC_WORD_GAP] = "gap",
	[REC_WORD_LEVEL] = "level",
	[REC_WORD_WORKER_1] = "worker+1",
	[REC_WORD_GOID_BEFORE] = "goid-before",
	[REC_WORD_SPAN] = "class",
	[REC_WORD_CPU_FLAGS] = "flags",
	[REC_WORD_SKIP] = "skip",
	[REC_WORD_G_WAIT] = "wait",
	[REC_WORD_MAY_WAIT] = "may-wait",
	[REC_WORD_MISSING] = "missing",
	[REC_WORD_TASK_IDS] = "task",
	[REC_WORD_SYSCALL] = "syscall",
	[REC_WORD_OFF] = "why",
	[REC_WORD_WAKER] = "by",
	[REC_WORD_RAN] = "ran",
	[REC_WORD_WAITED] = "waited",
	[REC_WORD_THROTTLED] = "throttled",
	[REC_WORD_QUOTA] = "quota",
	[REC_WORD_PERIOD] = "period",
	[REC_WORD_PERIODS] = "periods",
	[REC_WORD_SOME] = "some",
	[REC_WORD_ALL] = "all",
	[REC_WORD_PID] = "pid",
	[REC_WORD_OURS] = "ours",
	[REC_WORD_WITH] = "with",
	[REC_WORD_FD_PORTS] = "fd",
	[REC_WORD_INODE] = "inode",
	[REC_WORD_PROTOCOL] = "protocol",
	[REC_WORD_WAIT] = "object",
	[REC_WORD_PART_NUMBER] = "number",
	[REC_WORD_THREADS] = "step",
	[REC_WORD_RESOURCE] = "of",
	[REC_WORD_UP] = "up",
	[REC_WORD_MACHINE] = "machine",
	[REC_WORD_END] = "how",
	[REC_WORD_HTTP_PEER] = "peer",
	[REC_WORD_HTTP_END] = "end",
	[REC_WORD_HTTP_STATUS] = "status",
};

/* Names of small numbers; one without a name is printed as a number. */
enum { NAMED = 18 };

static const struct { const char *of[NAMED];
} value_names[] = {
	[REC_WORD_STOP] = { { [REC_STOP_GOSCHED] = "gosched",
			      [REC_STOP_PREEMPTED] = "preempted" } },
	[REC_WORD_SAME_P] = { { [REC_EXIT_HOOK] = "0,hook",
				[REC_EXIT_HOOK | REC_EXIT_SAME_P] = "1,hook" } },
	[REC_WORD_PSTART] = { { [REC_PSTART_ACQUIRE] = "acquirep",
				[REC_PSTART_EXITSYSCALL] = "exitsyscall",
				[REC_PSTART_PROCRESIZE] = "procresize" } },
	[REC_WORD_SWEEP] = { { [REC_SWEEP_ONE] = "sweepone",
			       [REC_SWEEP_DEDUCT] = "deduct",
			       [REC_SWEEP_CACHE] = "cache",
			       [REC_SWEEP_RECLAIM] = "reclaim" } },
	[REC_WORD_SWEEP_MARK] = { { [REC_SWEEP_FREED] = "freed", [REC_SWEEP_CALL] = "call" } },
	[REC_WORD_CLASS] = { { [STACK_PARK] = "park",
			       [STACK_STOP] = "stop",
			       [STACK_SYSCALL] = "syscall",
			       [STACK_CREATE] = "create",
			       [STACK_READY] = "ready",
			       [STACK_PREEMPT] = "preempt",
			       [STACK_STW] = "stw",
			       [STACK_GC] = "gc",
			       [STACK_ASSIST] = "assist",
			       [STACK_SNAPSHOT] = "snapshot",
			       [STACK_WAKE] = "wake",
			       [STACK_PROCS] = "procs",
			       [STACK_USER] = "user",
			       [STACK_SWEEP] = "sweep",
			       [STACK_CPU] = "cpu",
			       [STACK_END] = "end",
			       [STACK_ALLOC] = "alloc" } },
	[REC_WORD_END] = { { [REC_END_PANIC] = "panic", [REC_END_FATAL] = "fatal" } },
	[REC_WORD_G_STATUS] = { { [0] = "idle",
				  "runnable",
				  "running",
				  "syscall",
				  "waiting",
				  [6] = "dead",
				  [8] = "copystack",
				  "preempted" } },
	[REC_WORD_GC_PHASE] = { { "off", "mark", "marktermination" } },
	[REC_WORD_GAP] = { { [REC_GAP_LOST] = "lost",
			     [REC_GAP_REREAD] = "reread",
			     [REC_GAP_BUDGET] = "budget" } },
	[REC_WORD_LEVEL] = { { [REC_LEVEL_WHOLE] = "whole",
			       [REC_LEVEL_SHORT_STACKS] = "short-stacks",
			       [REC_LEVEL_NO_STACKS] = "no-stacks",
			       [REC_LEVEL_NO_EXTRAS] = "no-extras",
			       [REC_LEVEL_SLICES] = "slices" } },
	[REC_WORD_MISSING] = { { [0] = "none",
				 [REC_MISSING_FIRST] = "first",
				 [REC_MISSING_SECOND] = "second",
				 [REC_MISSING_FIRST | REC_MISSING_SECOND] = "both" } },
	[REC_WORD_OFF] = { { [REC_OFF_UNKNOWN] = "unknown",
			     [REC_OFF_RUNNABLE] = "runnable",
			     [REC_OFF_THROTTLED] = "throttled",
			     [REC_OFF_SLEEP] = "sleep",
			     [REC_OFF_BLOCKED] = "blocked",
			     [REC_OFF_IO] = "io",
			     [REC_OFF_STOPPED] = "stopped",
			     [REC_OFF_TRACED] = "traced",
			     [REC_OFF_FROZEN] = "frozen",
			     [REC_OFF_DEAD] = "dead" } },
	[REC_WORD_WAKER] = { { [REC_WAKER_UNKNOWN] = "unknown",
			       [REC_WAKER_TASK] = "task",
			       [REC_WAKER_INTERRUPT] = "interrupt",
			       [REC_WAKER_EITHER] = "task-or-interrupt" } },
	[REC_WORD_THREADS] = { { [REC_THREADS_BEGIN] = "begin",
				 [REC_THREADS_READ] = "read",
				 [REC_THREADS_END] = "end" } },
	[REC_WORD_PROTOCOL] = { { [REC_TCP] = "tcp", [REC_UDP] = "udp",
				  [REC_UNIX] = "unix" } },
	[REC_WORD_RESOURCE] = { { [REC_RESOURCE_CPU] = "cpu",
				  [REC_RESOURCE_MEMORY] = "memory",
				  [REC_RESOURCE_IO] = "io" } },
};

static const char *value_name(enum rec_word word, uint64_t value, int minor)
{
	if (word == REC_WORD_WAIT_REASON || (word == REC_WORD_G_WAIT && value < 256))
		return release_wait_name(minor, (unsigned int)value);
	if (word == REC_WORD_STW_REASON && !release_has(minor, RELEASE_STW_REASON_IN_TEXT))
		return release_stw_reason(minor, (unsigned int)value, 0);
	if (word < sizeof(value_names) / sizeof(value_names[0]) && value < NAMED)
		return value_names[word].of[value];
	return NULL;
}

static bool record_text_is_address(enum rec_word word)
{
	return word == REC_WORD_G || word == REC_WORD_P || word == REC_WORD_PC ||
	       word == REC_WORD_STACK || word == REC_WORD_ADDRESS || word == REC_WORD_TEXT8 ||
	       word == REC_WORD_TYPE || word == REC_WORD_SLOTS || word == REC_WORD_WAIT;
}

/* Appends " NAME=VALUE". @fallback is the name for a word that should be 0 and is not. */
static void record_text_add_word(struct buf *out, const char *fallback, enum rec_word word,
				 uint64_t value, int minor)
{
	const char *name = value_name(word, value, minor);

	if (word == REC_WORD_NONE) {
		if (value)
			buf_printf(out, " %s=%" PRIu64 "?", fallback, value);
		return;
	}
	buf_printf(out, " %s=", word_names[word]);
	if (word == REC_WORD_GOID_OR_TOLD && value == REC_ID_TOLD)
		buf_printf(out, "told");
	else if (word == REC_WORD_TASK_IDS)
		buf_printf(out, "%u/%u", (uint32_t)value, (uint32_t)(value >> 32));
	else if (word == REC_WORD_END && (uint8_t)value == REC_END_SIGNAL)
		buf_printf(out, "signal/%u", (unsigned int)(value >> 8));
	else if (word == REC_WORD_FD_PORTS)
		buf_printf(out, "%u ports=%u,%u", (uint32_t)value, (uint16_t)(value >> 32),
			   (uint16_t)(value >> 48));
	else if (word == REC_WORD_SYSCALL)
		buf_printf(out, "%" PRId64, (int64_t)value);
	else if (name)
		buf_printf(out, "%s", name);
	else
		buf_printf(out, record_text_is_address(word) ? "%#" PRIx64 : "%" PRIu64, value);
}

static void record_text_add_frames(struct buf *out, const struct rec_stack *s)
{
	uint32_t i;

	buf_printf(out, " frames=%u", s->n);
	for (i = 0; i < s->n; i++)
		buf_printf(out, " %#" PRIx64, (uint64_t)s->pcs[i]);
}

/* The traced program wrote the text: only printable ASCII is printed. */
static void record_text_add_text(struct buf *out, const char *text, size_t n)
{
	size_t i;

	buf_printf(out, " \"");
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		buf_printf(out,
			   c == '"' || c == '\\'    ? "\\%c" :
			   isascii(c) && isprint(c) ? "%c" :
						      "\\x%02x",
			   c);
	}
	buf_printf(out, "\"");
}

static void record_text_add_address(struct buf *out, const char *name, const uint8_t address[16])
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, address, text, sizeof(text));
	buf_printf(out, " %s=%s", name, text);
}

static void add_tail(struct buf *out, const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;
	const struct rec_cpu *c = (const struct rec_cpu *)r;

	switch (rec_layout(r->kind)) {
	case REC_LAYOUT_rec_stack:
		record_text_add_frames(out, (const struct rec_stack *)r);
		break;
	case REC_LAYOUT_rec_user:
		record_text_add_text(out, u->text, u->len[0]);
		record_text_add_text(out, u->text + u->len[0], u->len[1]);
		break;
	case REC_LAYOUT_rec_thread:
		record_text_add_text(out, ((const struct rec_thread *)r)->comm,
				     strnlen(((const struct rec_thread *)r)->comm, 16));
		break;
	case REC_LAYOUT_rec_cgroup:
		buf_printf(out, " throttled-ns=%" PRIu64,
			   (uint64_t)((const struct rec_cgroup *)r)->throttled_ns);
		break;
	case REC_LAYOUT_rec_socket:
		record_text_add_address(out, "local", ((const struct rec_socket *)r)->local);
		record_text_add_address(out, "remote", ((const struct rec_socket *)r)->remote);
		break;
	case REC_LAYOUT_rec_cpu:
		buf_printf(out, " words=%#" PRIx64 ",%#" PRIx64, (uint64_t)c->words[0],
			   (uint64_t)c->words[1]);
		break;
	default:
		break;
	}
}

/*
 * True if the kind has the words stack and arg, which are at one offset in all layouts that have
 * them.
 */
static bool is_long(uint8_t kind)
{
	return rec_layout(kind) != REC_LAYOUT_rec && rec_layout(kind) != REC_LAYOUT_rec_stack &&
	       rec_layout(kind) != REC_LAYOUT_rec_socket;
}

_Static_assert(offsetof(struct rec_user, stack) == offsetof(struct rec_long, stack) &&
		       offsetof(struct rec_cpu, stack) == offsetof(struct rec_long, stack) &&
		       offsetof(struct rec_snap_g, stack) == offsetof(struct rec_long, stack) &&
		       offsetof(struct rec_snap_g, start_pc) == offsetof(struct rec_long, arg) &&
		       offsetof(struct rec_user, arg) == offsetof(struct rec_long, arg) &&
		       offsetof(struct rec_thread, stack) == offsetof(struct rec_long, stack) &&
		       offsetof(struct rec_cgroup, periods) == offsetof(struct rec_long, stack) &&
		       offsetof(struct rec_cpu, ip) == offsetof(struct rec_long, arg),
	       "words of a long record");

void record_text(struct buf *out, const struct rec *r, int minor)
{
	const struct kind_words *k = &kinds[r->kind];
	const struct rec_long *l = (const struct rec_long *)r;

	buf_printf(out, "%" PRIu64 " %u %s", (uint64_t)r->time, r->tid, k->name ? k->name : "?");
	record_text_add_word(out, "id", k->id, r->id, minor);
	record_text_add_word(out, "ptr", k->ptr, r->ptr, minor);
	record_text_add_word(out, "sub", k->sub, r->sub, minor);
	record_text_add_word(out, "flags", k->flags, r->flags, minor);
	if (is_long(r->kind)) {
		record_text_add_word(out, "stack", k->stack, l->stack, minor);
		record_text_add_word(out, "arg", k->arg, l->arg, minor);
	}
	add_tail(out, r);
}
