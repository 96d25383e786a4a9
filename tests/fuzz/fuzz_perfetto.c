// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_perfetto: any bytes as a trace, made into a Perfetto trace, which must obey the rules of
 * tests/unit/perfetto_check.h.
 */
#include "perfetto/perfetto.h"

#include "../unit/perfetto_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfetto_process process = { PERFETTO_NO_PID, "Go program", 0 };
	struct pcheck check;
	struct raw_sink sink;
	struct perfetto *p;
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);

	if (!r)
		return 0;
	sink_open(&sink, -1, NULL);
	p = perfetto_new(&sink, &process);
	perfetto_read(p, r, &err);
	perfetto_free(p);
	trace_reader_close(r);
	if (pcheck_read(&check, sink.buf.data, sink.buf.len))
		abort();
	pcheck_free(&check);
	buf_free(&sink.buf);
	return 0;
}
