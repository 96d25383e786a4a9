// SPDX-License-Identifier: Apache-2.0
/* sink: see sink.h. */
#include "trace/sink.h"

/* In tracev2.def bit 0 is dt. args[] has no dt, so the bits move by one. */
const struct sink_refs sink_refs[256] = {
#define EV(number, name, version, class, args, stack_bits, text_bits) \
	[number] = { .texts = (text_bits) >> 1, .stacks = (stack_bits) >> 1 },
#include "tracev2.def"
#undef EV
};

bool sink_is_stand_in(const struct sink_event *e)
{
	static const bool of_goroutine[256] = {
		[EV_GoCreate] = true,  [EV_GoCreateBlocked] = true, [EV_GoStart] = true,
		[EV_GoUnblock] = true, [EV_GoStatus] = true,        [EV_GoStatusStack] = true,
	};

	return of_goroutine[e->kind & 255] && !e->args[0];
}
