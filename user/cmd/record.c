// SPDX-License-Identifier: Apache-2.0
/* gotap record: one process (cmd/record), or several (cmd/follow). */
#include "cmd/cmd.h"
#include "cmd/follow/follow.h"
#include "cmd/record/record.h"

int cmd_record(int argc, char **argv)
{
	static struct record_options o;		/* of one command; large for a stack */
	int status = record_read_options(&o, argc, argv);

	if (status)
		return status - 1;
	if (record_follows(&o))
		return follow_run(&o);
	status = record_run(&o);
	on_free(&o.flight.on);
	return status;
}
