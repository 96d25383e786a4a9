// SPDX-License-Identifier: Apache-2.0
/* Tests of read/labels: the text of profiler labels in a trace, both ways. */
#include "read/labels.h"

#include "unit.h"

static bool parses(struct labels *l, const char *text)
{
	return labels_parse(l, text, strlen(text));
}

static struct label_part part(const char *text, bool cut)
{
	return (struct label_part){ text, strlen(text), cut };
}

static void pairs_are_read(void)
{
	struct labels l = {0};
	const struct label *label;

	CHECK(parses(&l, "path=\"/buy\" \"user id\"=\"7\\n\" long=\"ab\"... ..."));
	CHECK_EQ(l.all.len, 3);
	CHECK(l.more);
	label = labels_find(&l, "user id", 7);
	CHECK(label && !label->value_cut);
	if (label)
		CHECK_STR(label_value(&l, label), "7\n");
	label = labels_find(&l, "long", 4);
	CHECK(label && label->value_cut);
	CHECK(!labels_find(&l, "lon", 3));
	labels_free(&l);
}

static void no_labels_is_an_empty_text(void)
{
	struct labels l = {0};

	CHECK(parses(&l, "a=\"1\""));
	CHECK(parses(&l, ""));
	CHECK_EQ(l.all.len, 0);
	CHECK(!l.more);
	CHECK(parses(&l, "..."));
	CHECK(l.more);
	labels_free(&l);
}

static void other_texts_are_refused(void)
{
	static const char *const wrong[] = {
		"a", "a=", "a=1", "=\"1\"", "a=\"1\" ", " a=\"1\"", "a=\"1\"b=\"2\"", "a=\"1\"  b=\"2\"",
		"a=\"1", "a=\"\\\"", "\"a=\"1\"", "a=\"\\q\"", "a=\"1\"....", "... a=\"1\"", "a b=\"1\"",
	};
	struct labels l = {0};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (parses(&l, wrong[i]))
			printf("# taken: %s\n", wrong[i]);
		CHECK(!parses(&l, wrong[i]));
		CHECK_EQ(l.all.len, 0);
	}
	labels_free(&l);
}

static void what_is_put_is_read(void)
{
	static const char *const texts[] = { "", "x", "a b", "=\"\\", "\xff\xfe", "\n\t\x01", "日本", "..." };
	struct labels l = {0};
	struct buf out = {0};
	size_t i, n = sizeof(texts) / sizeof(*texts);

	for (i = 0; i < n; i++)
		labels_put(&out, part(texts[i], i == 3), part(texts[n - 1 - i], i & 1));
	labels_put_more(&out);
	CHECK(labels_parse(&l, (const char *)out.data, out.len));
	CHECK_EQ(l.all.len, n);
	for (i = 0; i < n && i < l.all.len; i++) {
		const struct label *label = vec_at(&l.all, struct label, i);

		CHECK_STR(label_key(&l, label), texts[i]);
		CHECK_STR(label_value(&l, label), texts[n - 1 - i]);
		CHECK_EQ(label->key_cut, i == 3);
		CHECK_EQ(label->value_cut, i & 1);
	}
	CHECK(l.more);
	buf_free(&out);
	labels_free(&l);
}

/* A key of which only the begin is known may be another one. */
static void a_cut_key_is_not_found(void)
{
	struct labels l = {0};

	CHECK(parses(&l, "\"ab\"...=\"1\""));
	CHECK(!labels_find(&l, "ab", 2));
	CHECK(vec_at(&l.all, struct label, 0)->key_cut);
	labels_free(&l);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(pairs_are_read),
		UNIT(no_labels_is_an_empty_text),
		UNIT(other_texts_are_refused),
		UNIT(what_is_put_is_read),
		UNIT(a_cut_key_is_not_found),
		{0},
	});
}
