// SPDX-License-Identifier: Apache-2.0
/* Containers as state folders tell them (tests/fixtures/container), and what a query means. */
#include "proc/container.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

/* Unit tests run in the checkout. */
static struct containers load(void)
{
	struct containers cs;

	containers_load(&cs, "tests/fixtures/container/root");
	return cs;
}

/* The label of the one container that @query means, or "" and *@code. */
static char *label_of(struct containers *cs, const char *query, int *code, struct error *err)
{
	struct vec found = {0};
	char *label;

	*code = containers_find(cs, query, &found, err);
	label = !*code && found.len == 1 ? container_label(*vec_at(&found, struct container *, 0)) :
					   xstrdup("");
	vec_free(&found);
	return label;
}

static void check(const char *query, const char *want)
{
	struct containers cs = load();
	struct error err = {0};
	int code;
	char *label = label_of(&cs, query, &code, &err);

	CHECK_STR(label, want);
	free(label);
	containers_free(&cs);
}

static void names_of_every_runtime(void)
{
	check("web", "docker:web");
	check("cart", "docker:shop/cart-5c9f/cart");
	check("api", "podman:api");
	check("oneoff", "podman:oneoff");
	check("pay", "cri-o:bank/pay-0/pay");
	check("smtp", "containerd:shop/mail-x2/smtp");
	check("hand", "containerd:hand");
	check("plain", "runc:plain");
	check("unified", "runc:unified");
	check("thin", "crun:thin");
}

static void ids_and_their_starts(void)
{
	check("d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4e5d0c4", "docker:web");
	check("90d3a1", "podman:api");
	check("d0c", "");	/* too short to be meant as an id */
}

static void ambiguous_starts_list_their_containers(void)
{
	struct containers cs = load();
	struct error err = {0};
	int code;

	free(label_of(&cs, "d0c4", &code, &err));
	CHECK_EQ(-code, ENOTUNIQ);
	CHECK(strstr(err.text, "docker:web (d0c4e5d0c4e5)"));
	CHECK(strstr(err.text, "docker:batch (d0c4e6d0c4e6)"));
	containers_free(&cs);
}

static void unknown_names(void)
{
	struct containers cs = load();
	struct error err = {0};
	int code;

	free(label_of(&cs, "nowhere", &code, &err));
	CHECK_EQ(-code, ENOENT);
	CHECK(strstr(err.text, "no container 'nowhere'"));
	containers_free(&cs);
}

static size_t count(const char *query)
{
	struct containers cs = load();
	struct vec found = {0};
	size_t n;

	containers_find(&cs, query, &found, NULL);
	n = found.len;
	vec_free(&found);
	containers_free(&cs);
	return n;
}

static void pods_are_all_their_containers(void)
{
	CHECK_EQ(count("mail-x2"), 2);
	CHECK_EQ(count("shop/mail-x2"), 2);
	CHECK_EQ(count("2b7d1e9c-3f4a-4b5c-9d6e-7f8091a2b3c4"), 2);
	CHECK_EQ(count("shop/mail-x2/smtp"), 1);
	CHECK_EQ(count("mail-x2/smtp"), 1);
	CHECK_EQ(count("bank/pay-0"), 2);
	CHECK_EQ(count("bank/mail-x2"), 0);
}

static const struct container *only(struct containers *cs, const char *query)
{
	static const struct container nothing = { .cgroup = "" };
	struct vec found = {0};
	const struct container *c = &nothing;

	if (!containers_find(cs, query, &found, NULL))
		c = *vec_at(&found, struct container *, 0);
	vec_free(&found);
	return c;
}

static void facts_about_first_processes(void)
{
	struct containers cs = load();

	CHECK_EQ(only(&cs, "web")->init, 4101);
	CHECK_EQ(only(&cs, "api")->init, 4104);
	CHECK_EQ(only(&cs, "smtp")->init, 4106);
	CHECK_EQ(only(&cs, "plain")->init, 4108);
	CHECK_EQ(only(&cs, "plain")->init_start, 777001);
	CHECK_STR(only(&cs, "plain")->cgroup, "/plain");
	CHECK_STR(only(&cs, "unified")->cgroup, "/system.slice/runc-unified.scope");
	CHECK_STR(only(&cs, "thin")->cgroup, "/thin");
	CHECK_STR(only(&cs, "hand")->cgroup, "/default/hand");
	containers_free(&cs);
}

static void broken_files_are_left_out(void)
{
	struct containers cs = load();
	size_t i;

	CHECK_EQ(cs.list.len, 13);
	for (i = 0; i < cs.list.len; i++)
		CHECK(strncmp((*vec_at(&cs.list, struct container *, i))->id, "bad", 3));
	containers_free(&cs);
}

static void no_folders_no_containers(void)
{
	struct containers cs;

	containers_load(&cs, "tests/fixtures/container/none");
	CHECK_EQ(cs.list.len, 0);
	containers_free(&cs);
}

/* A file of @size bytes, mostly blanks, in which runc's state has @id; user @uid's. */
static void put_state(const char *root, const char *id, int size, uid_t uid)
{
	char command[512];

	snprintf(command, sizeof(command), "d=%s/run/user/1000/runc/%s; mkdir -p $d && "
		 "printf '%%%ds{\"id\":\"%s\"}' '' >$d/state.json && chown %u $d/state.json",
		 root, id, size, id, uid);
	CHECK_EQ(system(command), 0);
}

static bool knows(struct containers *cs, const char *id)
{
	struct error err = {0};
	int code;

	free(label_of(cs, id, &code, &err));
	return !code;
}

/* Users may fill their folders with anything; root's files are read however many there are. */
static void files_of_others_have_a_limit(void)
{
	char root[] = "/tmp/gotap-unit-XXXXXX", command[64];
	struct containers cs;

	if (geteuid())
		return;
	CHECK(mkdtemp(root));
	put_state(root, "aaaa", 12 << 20, 65534);
	put_state(root, "bbbb", 12 << 20, 65534);
	put_state(root, "cccc", 12 << 20, 65534);
	put_state(root, "dddd", 12 << 20, 0);
	put_state(root, "eeee", 17 << 20, 0);
	containers_load(&cs, root);
	CHECK(knows(&cs, "aaaa") && knows(&cs, "bbbb") && knows(&cs, "dddd"));
	CHECK(!knows(&cs, "cccc") && !knows(&cs, "eeee"));
	containers_free(&cs);
	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK_EQ(system(command), 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(names_of_every_runtime), UNIT(ids_and_their_starts),
		UNIT(ambiguous_starts_list_their_containers), UNIT(unknown_names),
		UNIT(pods_are_all_their_containers), UNIT(facts_about_first_processes),
		UNIT(broken_files_are_left_out), UNIT(no_folders_no_containers),
		UNIT(files_of_others_have_a_limit), {0} });
}
