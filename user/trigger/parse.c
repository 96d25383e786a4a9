// SPDX-License-Identifier: Apache-2.0
/* parse: see parse.h. */
#include "trigger/parse.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/vec.h"
#include "release/release.h"

enum form { PLAIN, TIME, COUNT, SIZE, BLOCKED, NAMED, REGEXP, REQUEST, SHARE };

enum { TEXT_MAX = 1024 };

static const struct word {
	const char *word, *grammar, *group, *says;
	enum form form;
} words[TRIGGER_KINDS] = {
#define TRIGGER(id, word, form, grammar, group, says) { word, grammar, group, says, form },
#include "trigger/trigger.def"
#undef TRIGGER
};

const char *trigger_group(enum trigger_kind kind)
{
	return words[kind].group;
}

void trigger_help(FILE *f)
{
	size_t i;

	for (i = 0; i < TRIGGER_KINDS; i++)
		fprintf(f, "  %-27s %s\n", words[i].grammar, words[i].says);
}

/* --- the parts --- */

static int parse_unknown(const char *text, struct error *err)
{
	struct buf all = {0};
	size_t i;
	int r;

	for (i = 0; i < TRIGGER_KINDS; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", words[i].grammar);
	buf_add_byte(&all, 0);
	r = error_set(err, -EINVAL, "'%.40s' is no trigger; these are: %s", text, (char *)all.data);
	buf_free(&all);
	return r;
}

static int parse_wrong(const char *text, const struct word *w, const char *why, struct error *err)
{
	return error_set(err, -EINVAL, "'%.80s': %s; it is %s: %s", text, why, w->grammar, w->says);
}

static bool take_time(const char *s, uint64_t *ns)
{
	double seconds;

	if (!number_duration(s, &seconds))
		return false;
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	return *ns > 0;
}

static bool take_count(const char *s, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(s, &end, 10);
	return *s >= '0' && *s <= '9' && !*end && !errno && *n < UINT64_MAX / 2;
}

/* "5%" or "0.5%", below 100 %. */
static bool take_share(const char *s, uint64_t *millionths)
{
	char *end;
	double percent = strtod(s, &end);

	if (*s < '0' || *s > '9' || strcmp(end, "%") || !(percent < 100))
		return false;
	*millionths = (uint64_t)(percent * 1e4 + 0.5);
	return true;
}

/* Parses the text after the ">" of a form. Returns NULL, or a text that says why it is wrong. */
static const char *take_limit(enum form form, const char *s, uint64_t *limit)
{
	if (form == COUNT)
		return take_count(s, limit) ? NULL : "N is a whole number, like 10000";
	if (form == SIZE)
		return number_size(s, limit) ? NULL : "SIZE is a number of bytes, like 512M or 2G";
	if (form == SHARE)
		return take_share(s, limit) ? NULL : "P% is a share below 100 %, like 5% or 0.5%";
	return take_time(s, limit) ? NULL : "T is a time, like 100ms or 2s";
}

/* Does the pattern match a wait reason of the runtime of any Go release? */
static bool parse_is_reason(const char *pattern)
{
	static const char *const reasons[] = {
#define WAIT_REASON(name, reason, text) reason,
#include "release/waitreason.def"
#undef WAIT_REASON
	};
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i] && *reasons[i] && !fnmatch(pattern, reasons[i], 0))
			return true;
	return false;
}

/* @s is the text after T: "", ":REASON", ":REASON:FUNC" or "::FUNC". */
static const char *take_where(struct trigger_rule *ret, const char *s)
{
	size_t n;

	if (!*s)
		return NULL;
	n = strcspn(++s, ":");
	if (!n && !*s)
		return "REASON is empty";
	if (n)
		ret->reason = xstrndup(s, n);
	if (n && !parse_is_reason(ret->reason))
		return "no wait has that REASON, which is one of the trace, like 'chan receive', "
		       "sync, select, network, "
		       "sleep or 'chan*'; of a function alone the form is blocked>T::FUNC";
	s += n;
	if (!*s)
		return NULL;
	if (!s[1])
		return "FUNC is empty";
	ret->func = xstrdup(s + 1);
	return NULL;
}

static const char *take_blocked(struct trigger_rule *ret, const char *s)
{
	size_t n = strcspn(s, ":");
	char *time = xstrndup(s, n);
	const char *why = take_limit(TIME, time, &ret->limit);

	free(time);
	return why ? why : take_where(ret, s + n);
}

/* Parses "NAME>T". The last ">" ends NAME, since a name may contain ">". */
static const char *take_named(struct trigger_rule *ret, enum form form, const char *s)
{
	const char *over = strrchr(s, '>');

	if (!over || over == s)
		return over ? "NAME is empty" : "there is no >T";
	ret->name = xstrndup(s, (size_t)(over - s));
	return take_limit(form, over + 1, &ret->limit);
}

/*
 * A pattern with back references can take exponential time to match, and the recorded program makes
 * the texts that it is matched with.
 */
static bool refers_back(const char *s)
{
	for (; *s; s++) {
		if (*s != '\\')
			continue;
		if (*++s >= '1' && *s <= '9')
			return true;
		if (!*s)
			break;
	}
	return false;
}

static const char *take_regexp(struct trigger_rule *ret, const char *s)
{
	if (!*s)
		return "REGEXP is empty";
	if (refers_back(s))
		return "REGEXP may have no back references";
	if (regcomp(&ret->regexp, s, REG_EXTENDED | REG_NOSUB))
		return "REGEXP is none, as of grep -E";
	ret->name = xstrdup(s);
	return NULL;
}

/* @s is the text after the word. */
static const char *parse_take_form(struct trigger_rule *ret, enum form form, const char *s)
{
	switch (form) {
	case PLAIN:
		return *s ? "nothing stands behind the word" : NULL;
	case TIME:
	case COUNT:
	case SIZE:
		return *s == '>' ? take_limit(form, s + 1, &ret->limit) : "a limit is missing";
	case BLOCKED:
		return *s == '>' ? take_blocked(ret, s + 1) : "a limit is missing";
	case NAMED:
		return *s == ':' ? take_named(ret, form, s + 1) : "a name is missing";
	case REQUEST:
	case SHARE:
		return *s == ':' ? take_named(ret, form, s + 1) :
		       *s == '>' ? take_limit(form, s + 1, &ret->limit) : "a limit is missing";
	case REGEXP:
		return *s == ':' ? take_regexp(ret, s + 1) : "a regular expression is missing";
	}
	return NULL;
}

/* --- a trigger --- */

int trigger_parse(struct trigger_rule *ret, const char *text, struct error *err)
{
	size_t n = strcspn(text, ">:"), i;
	const char *why;

	*ret = (struct trigger_rule){0};
	for (i = 0; i < TRIGGER_KINDS; i++)
		if (strlen(words[i].word) == n && !strncmp(text, words[i].word, n))
			break;
	if (i == TRIGGER_KINDS)
		return parse_unknown(text, err);
	ret->kind = (enum trigger_kind)i;
	why = strlen(text) > TEXT_MAX ? "it is longer than 1024 bytes" :
					parse_take_form(ret, words[i].form, text + n);
	if (why) {
		trigger_rule_free(ret);
		return parse_wrong(text, &words[i], why, err);
	}
	ret->text = xstrdup(text);
	return 0;
}

void trigger_rule_free(struct trigger_rule *rule)
{
	if (rule->kind == TRIGGER_LOG && rule->name)
		regfree(&rule->regexp);
	free(rule->text);
	free(rule->name);
	free(rule->reason);
	free(rule->func);
	*rule = (struct trigger_rule){0};
}
