// SPDX-License-Identifier: Apache-2.0
/* composition: see composition.h. */
#include "cmd/composition.h"

#include "cmd/report/parts.h"

void composition_put(const struct unit *u, FILE *f)
{
	struct buf text = {0};

	unit_put_text(u, &text);
	buf_add_byte(&text, 0);
	fputs("  ", f);
	report_put_wrapped((char *)text.data, 2, f);
	buf_free(&text);
}

static void composition_json_cause(struct json_out *j, const struct unit_cause *c, bool slow)
{
	struct buf text = {0};

	buf_add(&text, c->text.data, c->text.len);
	buf_add_byte(&text, 0);
	json_open_object(j, NULL);
	json_put_real(j, "share", c->share, 6);
	if (slow)
		json_put_real(j, "slow_ns", c->slow, 1);
	json_put_text(j, "text", (char *)text.data);
	json_close_object(j);
	buf_free(&text);
}

void composition_json(struct json_out *j, const struct unit *u, bool slow)
{
	size_t i;

	json_open_array(j, "causes");
	for (i = 0; u && i < u->ncauses; i++)
		composition_json_cause(j, &u->causes[i], slow);
	json_close_array(j);
	if (u)
		json_put_real(j, "unattributed", u->unattributed, 6);
	else
		json_put_text(j, "unattributed", NULL);
}
