/* SPDX-License-Identifier: Apache-2.0 */
/* files: the sources of the schemas in user/schema/files, which the build embeds. */
#ifndef GOTAP_SCHEMA_FILES_H
#define GOTAP_SCHEMA_FILES_H

#include <stddef.h>

struct schema_file {
	const char *name;		/* of the file, without ".json" */
	const char *begin, *end;	/* its text; *end is NUL */
	const char *says;		/* which output it describes; NULL: definitions only */
};

/* In the order of the list in the documentation; ends with .name NULL. */
extern const struct schema_file schema_files[];

#endif
