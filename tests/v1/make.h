/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make: builds v1 traces from text, for tests. It is written from the
 * description of the formats and shares nothing with the reader, so that one
 * can find the other's mistakes.
 *
 *	Batch 0 100; GoCreate 1 0 0; @5 GoStart 1; hex 26 00
 *
 * Statements end with a semicolon or newline; "#" starts a comment line. A statement is a
 * record's name and its values in wire order without the deltas: dt is 1 or
 * what @ gives, the sequence delta of 1.5 is 1. "Stack id pc..." and (from
 * 1.7 on) "Stack id pc func file line ..." count their frames themselves. A
 * quoted text ends String and UserLog. "hex" puts bytes as they are.
 */
#ifndef GOTAP_TESTS_V1_MAKE_H
#define GOTAP_TESTS_V1_MAKE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAKE_GOTRACE = 4, MAKE_MAX = 1 << 20, MAKE_VALUES = 4100 };

struct make {
	int version;		/* 4 is the format before Go 1.5 */
	uint8_t *data;
	size_t len;
	const char *at;		/* in the text */
};

static const char *const make_names[64] = {
	[1] = "Batch", "Frequency", "Stack", "Gomaxprocs", "ProcStart", "ProcStop", "GCStart",
	"GCDone", "STWStart", "STWDone", "GCSweepStart", "GCSweepDone", "GoCreate", "GoStart",
	"GoEnd", "GoStop", "GoSched", "GoPreempt", "GoSleep", "GoBlock", "GoUnblock",
	"GoBlockSend", "GoBlockRecv", "GoBlockSelect", "GoBlockSync", "GoBlockCond", "GoBlockNet",
	"GoSysCall", "GoSysExit", "GoSysBlock", "GoWaiting", "GoInSyscall", "HeapAlloc", "NextGC",
	"TimerGoroutine", "FutileWakeup", "String", "GoStartLocal", "GoUnblockLocal",
	"GoSysExitLocal", "GoStartLabel", "GoBlockGC", "GCMarkAssistStart", "GCMarkAssistDone",
	"UserTaskCreate", "UserTaskEnd", "UserRegion", "UserLog", "CPUSample",
};

static inline void make_byte(struct make *m, unsigned int b)
{
	if (m->len == MAKE_MAX)
		abort();
	m->data[m->len++] = (uint8_t)b;
}

static inline void make_value(struct make *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		make_byte(m, (v & 0x7f) | 0x80);
	make_byte(m, (unsigned int)v);
}

static inline void make_header(struct make *m)
{
	char head[17] = "gotrace";
	int i;

	if (m->version != MAKE_GOTRACE) {
		memset(head, 0, sizeof(head));
		snprintf(head, sizeof(head), "go 1.%d trace", m->version);
	}
	for (i = 0; i < (m->version == MAKE_GOTRACE ? 8 : 16); i++)
		make_byte(m, (unsigned char)head[i]);
}

/* Type byte, length if there are many values, values. @free_values: those that k leaves out. */
static inline void make_record(struct make *m, unsigned int type, const uint64_t *v, size_t n,
			       size_t free_values)
{
	size_t i, k = n - free_values, start, len;

	if (k < 3 && type != 3) {
		make_byte(m, type | (unsigned int)k << 6);
		for (i = 0; i < n; i++)
			make_value(m, v[i]);
		return;
	}
	/* The length is that of the values: put them once to measure them. */
	start = m->len;
	for (i = 0; i < n; i++)
		make_value(m, v[i]);
	len = m->len - start;
	m->len = start;
	make_byte(m, type | 3 << 6);
	make_value(m, len);
	for (i = 0; i < n; i++)
		make_value(m, v[i]);
}

static inline void make_skip(struct make *m)
{
	while (*m->at == ' ' || *m->at == '\t')
		m->at++;
}

static inline int make_ends(struct make *m)
{
	make_skip(m);
	return !*m->at || *m->at == ';' || *m->at == '\n';
}

static inline void make_text(struct make *m)
{
	const char *end = strchr(m->at + 1, '"');

	make_value(m, (uint64_t)(end - m->at - 1));
	for (m->at++; m->at < end; m->at++)
		make_byte(m, (unsigned char)*m->at);
	m->at++;
}

static inline void make_hex(struct make *m)
{
	while (!make_ends(m))
		make_byte(m, (unsigned int)strtoul(m->at, (char **)&m->at, 16));
}

static inline unsigned int make_type(struct make *m, const char *name, size_t len)
{
	unsigned int i;

	for (i = 1; i < 64; i++)
		if (make_names[i] && strlen(make_names[i]) == len &&
		    !memcmp(make_names[i], name, len))
			return i;
	fprintf(stderr, "make: no record '%.*s'\n", (int)len, name);
	(void)m;
	exit(2);
}

static inline int make_has_deltas(unsigned int type)
{
	return type != 1 && type != 2 && type != 3 && type != 35 && type != 37;
}

static inline void make_statement(struct make *m)
{
	static uint64_t v[MAKE_VALUES];
	uint64_t dt = 1;
	size_t n = 0, len, free_values;
	unsigned int type;

	if (*m->at == '@')
		dt = strtoull(m->at + 1, (char **)&m->at, 0);
	make_skip(m);
	len = strcspn(m->at, " ;\n\"");
	if (len == 3 && !memcmp(m->at, "hex", 3)) {
		m->at += 3;
		make_hex(m);
		return;
	}
	type = make_type(m, m->at, len);
	m->at += len;
	if (make_has_deltas(type) && m->version == 5)
		v[n++] = 1;
	if (make_has_deltas(type))
		v[n++] = dt;
	free_values = m->version == 5 ? 2 : 1;
	while (!make_ends(m) && *m->at != '"')
		v[n++] = strtoull(m->at, (char **)&m->at, 0);
	if (type == 3) {
		memmove(v + 2, v + 1, (n - 1) * sizeof(*v));
		v[1] = (n - 1) / (m->version < 7 ? 1 : 4);
		n++;
	}
	make_record(m, type, v, n, free_values);
	make_skip(m);
	if (*m->at == '"')
		make_text(m);
}

/* Returns the file's bytes, m.len of them, to be freed. */
static inline struct make make_trace(int version, const char *text)
{
	struct make m = { .version = version, .at = text };

	m.data = malloc(MAKE_MAX);
	make_header(&m);
	while (*m.at) {
		if (*m.at == '#')
			m.at += strcspn(m.at, "\n");
		else if (!make_ends(&m))
			make_statement(&m);
		else if (*m.at)
			m.at++;
	}
	return m;
}

#endif
