// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_ask: the bytes of a struct ask, which one process of `gotap serve` parses from HTTP and
 * sends to the process that has the rights. A client that has taken over the first process can send
 * any bytes. The fuzzer asserts that a valid struct ask is a request within its limits, and that
 * ask_encode() can write it.
 */
#include "fuzz.h"

#include <string.h>

#include "serve/ask.h"

enum { MAX_SECONDS = 300 };

static void check_settled(const struct request *r)
{
	must(r->seconds >= 0 && r->seconds <= MAX_SECONDS, "a time is within its limits");
	must(!r->pid || !*r->name, "a request has one process");
}

static void check_again(const struct ask *a, const struct request *r)
{
	struct request back;
	struct ask again;

	ask_encode(&again, r, a->head, a->authorization);
	must(ask_is_valid(&again) && ask_decode(&again, &back), "what was decoded can be sent");
	must(back.endpoint == r->endpoint && back.pid == r->pid && back.debug == r->debug, "it is the same");
	must(!strcmp(again.authorization, a->authorization) && !strcmp(back.name, r->name), "its texts are the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct refusal why = {0};
	struct ask a = {0};
	struct request r;

	memcpy(&a, data, size < sizeof(a) ? size : sizeof(a));
	if (!ask_is_valid(&a) || !ask_decode(&a, &r))
		return 0;
	must(r.pid >= 0 && r.pid <= ASK_LONGEST_PID && r.debug >= -1 && r.debug <= 2, "numbers are within their limits");
	must(strlen(r.name) < sizeof(r.name), "a name has an end");
	check_again(&a, &r);
	if (request_settle(&r, MAX_SECONDS, &why))
		check_settled(&r);
	else
		must(why.status >= 400 && why.status < 500 && *why.text, "a refusal has a text");
	return 0;
}
