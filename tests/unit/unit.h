/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit: the frame of a C unit test. A test program lists its cases in a table
 * and calls unit_main(); each case prints one TAP line.
 *
 *	static void pushes_grow(void) { ...; CHECK(v.len == 3); }
 *	int main(void) { return unit_main((struct unit_case[]){ UNIT(pushes_grow), {0} }); }
 *
 * UNIT_ROWS() makes a case of each row of a table; a row begins with the case's name.
 */
#ifndef GOTAP_TESTS_UNIT_H
#define GOTAP_TESTS_UNIT_H

#include <stdio.h>
#include <string.h>

struct unit_case {
	const char *name;
	void (*run)(void);
	void (*run_row)(const void *row);
	const void *row;
};

#define UNIT(fn) { .name = #fn, .run = fn }

static int unit_failures;

/* Appends to @cases, which has room for them and the zeroed one at the end. */
static inline void unit_rows(struct unit_case *cases, const void *rows, size_t n, size_t size,
			     void (*run)(const void *row))
{
	const char *row = rows;

	for (; cases->name; cases++)
		;
	for (; n; n--, cases++, row += size)
		*cases = (struct unit_case){ *(const char *const *)row, .run_row = run, .row = row };
}

#define UNIT_ROWS(cases, rows, run) \
	unit_rows(cases, rows, sizeof(rows) / sizeof(*(rows)), sizeof(*(rows)), run)

#define CHECK(cond)                                                                    \
	do {                                                                           \
		if (!(cond)) {                                                         \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);            \
			unit_failures++;                                               \
		}                                                                      \
	} while (0)

#define CHECK_EQ(a, b)                                                                 \
	do {                                                                           \
		unsigned long long a_ = (unsigned long long)(a);                       \
		unsigned long long b_ = (unsigned long long)(b);                       \
		if (a_ != b_) {                                                        \
			printf("# %s:%d: %s is %llu, %s is %llu\n", __FILE__,          \
			       __LINE__, #a, a_, #b, b_);                              \
			unit_failures++;                                               \
		}                                                                      \
	} while (0)

#define CHECK_STR(a, b)                                                                \
	do {                                                                           \
		const char *a_ = (a), *b_ = (b);                                       \
		if (!a_ || !b_ || strcmp(a_, b_)) {                                    \
			printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__,   \
			       __LINE__, #a, a_ ? a_ : "(null)", b_ ? b_ : "(null)");  \
			unit_failures++;                                               \
		}                                                                      \
	} while (0)

static inline int unit_main(const struct unit_case *cases)
{
	int n = 0, failed = 0;

	for (; cases->name; cases++) {
		unit_failures = 0;
		if (cases->run)
			cases->run();
		else
			cases->run_row(cases->row);
		failed += unit_failures != 0;
		printf("%s %d - %s\n", unit_failures ? "not ok" : "ok", ++n, cases->name);
		fflush(stdout);
	}
	printf("1..%d\n", n);
	return failed != 0;
}

#endif
