/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: the grammar of `gotap record --on`, from trigger.def. Called by the command; trigger.h
 * takes the rules.
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

/* What one --on says. */
struct trigger_rule {
	enum trigger_kind kind;
	char *text;		/* as it was given */
	uint64_t limit;		/* ns, bytes or a number; 0: none */
	/* of a region, task or function: a pattern as of fnmatch(3); or NULL */
	char *name;
	char *reason, *func;	/* BLOCKED: patterns; NULL: any */
	regex_t regexp;		/* LOG */
};

/* @text as behind --on. -EINVAL with one line that shows the grammar. */
int trigger_parse(struct trigger_rule *ret, const char *text, struct error *err);
void trigger_rule_free(struct trigger_rule *rule);
/* The group of --events that a kind needs, as its name, or NULL. */
const char *trigger_group(enum trigger_kind kind);
/* The lines of --help, one for each trigger. */
void trigger_help(FILE *f);

#endif
