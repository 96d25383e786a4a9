/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: the grammar of `gotap record --on`, from trigger.def. The command parses its options with
 * trigger_parse() and passes the rules to triggers_new().
 */
#ifndef GOTAP_TRIGGER_PARSE_H
#define GOTAP_TRIGGER_PARSE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum trigger_kind {
#define TRIGGER(id, ...) TRIGGER_##id,
#include "trigger/trigger.def"
#undef TRIGGER
	TRIGGER_KINDS,
};

/* A parsed argument of --on. */
struct trigger_rule {
	enum trigger_kind kind;
	char *text;		/* a copy of the argument of --on */
	uint64_t limit;		/* ns, bytes, a count or millionths, by the kind; 0: it has none */
	/*
	 * name of a region, task, function or route, a pattern of fnmatch(3); NULL: the kind has
	 * none, or any route
	 */
	char *name;
	char *reason, *func;	/* BLOCKED: patterns of fnmatch(3); NULL: any */
	regex_t regexp;		/* LOG */
};

/*
 * Parses @text, the argument of one --on, into @ret, which the caller frees with
 * trigger_rule_free(). Returns -EINVAL and an error of one line, which shows the grammar, if @text
 * is no trigger.
 */
int trigger_parse(struct trigger_rule *ret, const char *text, struct error *err);
void trigger_rule_free(struct trigger_rule *rule);
/* Returns the name of the --events group that the kind needs, or NULL if it needs none. */
const char *trigger_group(enum trigger_kind kind);
/* Prints the lines of --help, one for each trigger. */
void trigger_help(FILE *f);

#endif
