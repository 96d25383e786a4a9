// SPDX-License-Identifier: Apache-2.0
/*
 * profile_vars: the variables that are found by code are those of the symbol table, for each Go
 * program of GOTAP_TEST_BINARIES (separated by blanks) that has one.
 */
#include "unit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "target/profile_vars.h"

static const struct {
	const char *name;
	size_t at;
	int since;
} variables[] = {
	{ "runtime.mbuckets", offsetof(struct profile_vars, mbuckets), 0 },
	{ "runtime.xbuckets", offsetof(struct profile_vars, xbuckets), 0 },
	{ "runtime.bbuckets", offsetof(struct profile_vars, bbuckets), 0 },
	{ "runtime.MemProfileRate", offsetof(struct profile_vars, rate), 0 },
	{ "runtime.blockprofilerate", offsetof(struct profile_vars, block_rate), 0 },
	{ "runtime.mProfCycle", offsetof(struct profile_vars, cycle), 19 },
};

static void same_as_symbols(const struct gobin *b)
{
	struct profile_vars vars;
	uint64_t symbol, found;
	size_t i;

	/* not optimized: gotap takes the symbols; of a stripped one the buckets decide (heap/heap.c) */
	if (strstr(gobin_path(b), ".noopt") || strstr(gobin_path(b), "__N"))
		return;
	profile_vars_by_code(b, &vars);
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (gobin_go_minor(b) < variables[i].since)
			continue;
		memcpy(&found, (char *)&vars + variables[i].at, sizeof(found));
		CHECK(!gobin_data_symbol(b, variables[i].name, &symbol));
		if (found != symbol)
			printf("# %s, %s: %s\n", gobin_path(b), gobin_go_version(b),
			       variables[i].name);
		CHECK_EQ(found, symbol);
	}
	/* work.goroutineLeak is a part of runtime.work, at 448 in 1.26 and 1.27 */
	if (gobin_go_minor(b) < 26) {
		CHECK_EQ(vars.leak_pending, 0);
	} else {
		CHECK(!gobin_data_symbol(b, "runtime.work", &symbol));
		CHECK_EQ(vars.leak_pending - symbol, 448);
	}
}

static void variables_by_code(void)
{
	char *list = strdup(getenv("GOTAP_TEST_BINARIES") ? getenv("GOTAP_TEST_BINARIES") : "");
	char *save, *path;
	struct gobin *b;
	struct error err;
	int n = 0;

	for (path = strtok_r(list, " ", &save); path; path = strtok_r(NULL, " ", &save)) {
		if (gobin_open(&b, path, &err))
			continue;
		if (gobin_has_symtab(b)) {
			same_as_symbols(b);
			n++;
		}
		gobin_free(b);
	}
	if (!n)
		printf("# no program with symbols in GOTAP_TEST_BINARIES\n");
	free(list);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(variables_by_code), {0} });
}
