// SPDX-License-Identifier: Apache-2.0
/* wait_text: see wait_text.h. */
#include "read/wait_text.h"

#include "read/put.h"

static void wait_text_object(struct buf *out, const struct trace_wait *w, unsigned int i)
{
	int cap = wait_capacity(w, i);

	if (w->kind == WAIT_NETWORK) {
		put_word(out, " descriptor ");
		put_uint(out, wait_address(w, i));
		return;
	}
	put_word(out, " 0x");
	put_hex(out, wait_address(w, i));
	if (cap < 0)
		return;
	put_word(out, " (");
	put_uint(out, (uint64_t)cap);
	put_text(out, cap == WAIT_CAP_MOST - 1 ? "+)" : ")");
}

void wait_text(struct buf *out, const struct trace_wait *w)
{
	unsigned int i;

	put_text(out, wait_kind_name(w->kind));
	for (i = 0; i < w->n; i++)
		wait_text_object(out, w, i);
	if (w->more)
		put_word(out, " ...");
}
