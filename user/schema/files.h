/* SPDX-License-Identifier: Apache-2.0 */
/* files: the sources of the schemas in user/schema/files, which the build embeds. */
#ifndef GOTAP_SCHEMA_FILES_H
#define GOTAP_SCHEMA_FILES_H

struct schema_file {
	const char *name;		/* of the file, without ".json" */
	const char *text;
	const char *says;		/* which output it describes; NULL: definitions only */
};

/* The rows of files.def, and common; ends with .name NULL. */
extern const struct schema_file schema_files[];

#endif
