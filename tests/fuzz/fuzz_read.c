// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_read: a v2 trace from anybody must end in a verdict: no crash, no
 * hang, no more memory than a small multiple of its size. Seeds: traces.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cmd/check_json.h"
#include "read/check_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *sink(void)
{
	static FILE *f;

	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct check_result result;
	struct buf report = {0};

	check_memory(data, size, false, &result);
	check_report_text(&report, "input", &result);
	buf_free(&report);
	check_json(sink(), "input", &result);
	check_memory(data, size, true, &result);
	return 0;
}
