// SPDX-License-Identifier: Apache-2.0
/* The message of the log event at the end of a request. */
#include "unit.h"

#include "requests/result.h"

static struct result read_result(const char *message)
{
	struct result r = {0};

	result_read(&r, message);
	return r;
}

static void keys_are_read(void)
{
	struct result r = read_result("status=503 bytes=18446744073709551615 path=/a/b proto=h2");

	CHECK_EQ(r.status, 503);
	CHECK(r.bytes == UINT64_MAX);
	CHECK_STR(r.path, "/a/b");
	CHECK(r.h2 && !r.panic && !r.hijacked);
	CHECK(read_result("path=/ end=panic").panic);
	CHECK(read_result("path=/ end=hijacked").hijacked);
}

static void quoted_paths(void)
{
	CHECK_STR(read_result("path=\"/a b\\\"c\\\\d\\x07\" end=panic").path, "/a b\"c\\d\\x07");
	CHECK(read_result("path=\"/a end=hijacked\" end=panic").panic);
	CHECK(!read_result("path=\"/a end=hijacked\" end=panic").hijacked);
}

static void damaged_ones_end_the_reading(void)
{
	CHECK_STR(read_result("path=\"/a").path, "/");	/* no closing quote: the last byte counts as one */
	CHECK_EQ(read_result("status").status, 0);
	CHECK_EQ(read_result("").status, 0);
	CHECK_EQ(read_result("=1 status=5").status, 0);
	CHECK_EQ(read_result("unknown=7 status=5").status, 5);
	CHECK_STR(read_result("path=\"\\").path, "");
}

static void long_paths_are_cut(void)
{
	char message[2048] = "path=";
	struct result r;

	memset(message + 5, 'a', 2000);
	r = read_result(message);
	CHECK_EQ(strlen(r.path), ROUTES_PATH - 1);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(keys_are_read), UNIT(quoted_paths), UNIT(damaged_ones_end_the_reading), UNIT(long_paths_are_cut), {0} });
}
