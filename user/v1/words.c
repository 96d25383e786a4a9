// SPDX-License-Identifier: Apache-2.0
/* words: see words.h. */
#include "v1/words.h"

#include <stdbool.h>
#include <string.h>

#include "v1/format.h"

static const char *const block_reasons[V1_TYPES] = {
	[V1_GO_STOP] = "forever",
	[V1_GO_SLEEP] = "sleep",
	[V1_GO_BLOCK] = "",
	[V1_GO_BLOCK_SEND] = "chan send",
	[V1_GO_BLOCK_RECV] = "chan receive",
	[V1_GO_BLOCK_SELECT] = "select",
	[V1_GO_BLOCK_SYNC] = "sync",
	[V1_GO_BLOCK_COND] = "sync.(*Cond).Wait",
	[V1_GO_BLOCK_NET] = "network",
	[V1_GO_BLOCK_GC] = "GC mark assist wait for work",
};

/* stwReason of Go 1.21; number 6 has the spelling of internal/trace/tracev1.go. */
static const char *const stw_reasons[] = {
	"", "GC mark termination", "GC sweep termination", "write heap dump",
	"goroutine profile", "goroutine profile cleanup", "all goroutine stack trace",
	"read mem stats", "AllThreadsSyscall", "GOMAXPROCS", "start trace", "stop trace",
	"CountPagesInUse (test)", "ReadMetricsSlow (test)", "ReadMemStatsSlow (test)",
	"PageCachePagesLeaked (test)", "ResetDebugLog (test)",
};

/*
 * Before 1.5 each P that scans for the collector writes the events that later mean mark
 * termination.
 */
static const char gc_scan[] = "GC scan";

enum {
	STW_MARK = 1, STW_SWEEP = 2, STW_ALL_STACKS = 6,
	STW_REASONS = sizeof(stw_reasons) / sizeof(*stw_reasons),
};

static bool v1_words_is(const char *text, const char *s, size_t len)
{
	return strlen(text) == len && !memcmp(text, s, len);
}

const char *v1_block_reason(unsigned int type)
{
	return block_reasons[type];
}

unsigned int v1_block_type(const char *reason, size_t len)
{
	unsigned int type;

	for (type = 0; type < V1_TYPES; type++)
		if (block_reasons[type] && v1_words_is(block_reasons[type], reason, len))
			return type;
	return V1_GO_BLOCK;
}

const char *v1_stw_reason(int version, unsigned long long kind)
{
	if (version == V1_GOTRACE)
		return gc_scan;
	if (version < 10)
		return stw_reasons[STW_MARK];
	if (version < 21)
		return kind < 2 ? stw_reasons[kind + 1] : "";
	return kind < STW_REASONS ? stw_reasons[kind] : "";
}

/*
 * The runtime spells number 6 differently from the reader of its traces: both spellings are
 * accepted.
 */
static int stw_number(const char *reason, size_t len)
{
	int i;

	for (i = 0; i < STW_REASONS; i++)
		if (v1_words_is(stw_reasons[i], reason, len))
			return i;
	return v1_words_is("all goroutines stack trace", reason, len) ? STW_ALL_STACKS : 0;
}

int v1_stw_kind(int version, const char *reason, size_t len)
{
	int number = stw_number(reason, len);

	if (version >= 21)
		return number;
	if (version >= 10)
		return number == STW_MARK || number == STW_SWEEP ? number - 1 : -1;
	return number == STW_MARK || v1_words_is(gc_scan, reason, len) ? 0 : -1;
}
