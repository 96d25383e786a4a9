// SPDX-License-Identifier: Apache-2.0
/*
 * screen, keys, view: a small terminal in the test takes the bytes and must show the text that was drawn; only cells
 * that changed are written; control characters in texts of the program do not get through.
 */
#include "unit.h"

#include <stdlib.h>

#include "top/json.h"
#include "top/keys.h"
#include "top/screen.h"
#include "top/view.h"

/* --- a terminal: what xterm does with the sequences that screen.c uses, and nothing else --- */

enum { ROWS = 60, COLS = 200 };

static struct {
	char cells[ROWS][COLS][8];
	int row, col;
	size_t written;		/* cells */
	size_t strange;		/* bytes that are no character, and no sequence that screen.c uses */
} tty;

static void tty_clear(void)
{
	int r, c;

	for (r = 0; r < ROWS; r++)
		for (c = 0; c < COLS; c++)
			strcpy(tty.cells[r][c], " ");
}

static size_t tty_sequence(const char *s, size_t n)
{
	int a = 0, b = 0;
	size_t i = 2;

	while (i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	if (s[i] == 'H' && sscanf(s + 2, "%d;%d", &a, &b) == 2) {
		tty.row = a - 1;
		tty.col = b - 1;
	} else if (s[i] == 'J') {
		tty_clear();
	} else if (s[i] != 'm') {
		tty.strange++;
	}
	return i + 1;
}

/* Characters above U+2E80 are two columns wide. */
static size_t tty_char(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	if (c < 0x20 || c == 0x7f || tty.row < 0 || tty.row >= ROWS || tty.col < 0 || tty.col >= COLS - 1) {
		tty.strange++;
		return n;
	}
	memcpy(tty.cells[tty.row][tty.col], s, n);
	tty.cells[tty.row][tty.col][n] = 0;
	tty.written++;
	tty.col++;
	if (n == 3 && c >= 0xe3 && c < 0xee)
		strcpy(tty.cells[tty.row][tty.col++], "");
	return n;
}

static void tty_take(const struct buf *b)
{
	const char *s = (const char *)b->data;
	size_t i = 0;

	tty.written = 0;
	while (i < b->len)
		i += s[i] == '\033' && i + 1 < b->len && s[i + 1] == '[' ? tty_sequence(s + i, b->len - i) : tty_char(s + i);
}

static const char *tty_line(int row)
{
	static char line[COLS * 8];
	size_t n = 0;
	int c;

	for (c = 0; c < COLS; c++)
		n += (size_t)sprintf(line + n, "%s", tty.cells[row][c]);
	while (n && line[n - 1] == ' ')
		line[--n] = 0;
	return line;
}

static struct screen *open_screen(int rows, int cols)
{
	struct screen *s = screen_new(true, true);

	tty_clear();
	tty.strange = 0;
	screen_resize(s, rows, cols);
	return s;
}

/* Writes the screen to the terminal; returns the number of bytes. */
static size_t show(struct screen *s)
{
	struct buf out = {0};
	size_t n;

	screen_flush(s, &out);
	tty_take(&out);
	n = out.len;
	buf_free(&out);
	return n;
}

/* --- screen --- */

static void only_cells_that_differ_are_written(void)
{
	struct screen *s = open_screen(24, 80);

	screen_put(s, 3, 10, 70, STYLE_PLAIN, "goroutines 1204");
	show(s);
	CHECK_STR(tty_line(3), "          goroutines 1204");
	CHECK_EQ(show(s), 0);
	screen_clear(s);
	screen_put(s, 3, 10, 70, STYLE_PLAIN, "goroutines 1304");
	CHECK(show(s) < 20);
	CHECK_EQ(tty.written, 1);
	CHECK_STR(tty_line(3), "          goroutines 1304");
	screen_paint(s, 3, 10, 10, STYLE_BOLD);
	show(s);
	CHECK_EQ(tty.written, 10);
	screen_clear(s);
	show(s);
	CHECK_EQ(tty.written, 14);	/* all but the blank between the words */
	CHECK_STR(tty_line(3), "");
	CHECK_EQ(tty.strange, 0);
	screen_free(s);
}

static void wide_characters_take_two_columns(void)
{
	struct screen *s = open_screen(5, 20);

	CHECK_EQ(screen_put(s, 0, 0, 20, STYLE_PLAIN, "ab\u4e16\u754cc"), 7);
	CHECK_EQ(screen_put(s, 1, 0, 3, STYLE_PLAIN, "ab\u4e16"), 2);
	CHECK_EQ(screen_width(s, "\u4e16\u754c!"), 5);
	screen_put(s, 2, 17, 3, STYLE_PLAIN, "\u4e16\u4e16");
	show(s);
	CHECK_STR(tty_line(0), "ab\u4e16\u754cc");
	CHECK_STR(tty_line(1), "ab");
	screen_put(s, 0, 3, 1, STYLE_PLAIN, "x");	/* over the right half of the first */
	show(s);
	CHECK_STR(tty_line(0), "ab x\u754cc");
	screen_put(s, 0, 1, 2, STYLE_PLAIN, "\u754c");
	show(s);
	CHECK_STR(tty_line(0), "a\u754cx\u754cc");
	CHECK_EQ(tty.strange, 0);
	screen_free(s);
}

/* Combining marks are left out; control characters, which a terminal would obey, are written as \xNN. */
static void foreign_text_does_nothing_to_the_terminal(void)
{
	struct screen *s = open_screen(5, 60);

	screen_put(s, 0, 0, 60, STYLE_PLAIN, "a\033[2Jb\rc\nd\x9b" "e\xff\u202e" "f");
	screen_put(s, 1, 0, 60, STYLE_PLAIN, "e\u0301\u200bx");
	show(s);
	CHECK_EQ(tty.strange, 0);
	CHECK_STR(tty_line(0), "a\\x1b[2Jb\\x0dc\\x0ad\\x9be\\xff\\xe2\\x80\\xaef");
	CHECK_STR(tty_line(1), "e\\xe2\\x80\\x8bx");
	screen_free(s);
	s = screen_new(false, false);
	screen_resize(s, 2, 20);
	screen_put(s, 0, 0, 20, STYLE_BAD, "\u00fcber");
	show(s);
	CHECK_STR(tty_line(0), "?ber");
	screen_free(s);
}

static void no_color_is_no_color(void)
{
	struct screen *s = screen_new(true, false);
	struct buf out = {0};
	enum style style;

	screen_resize(s, 10, 20);
	for (style = 0; style < STYLES; style++)
		screen_put(s, (int)style, 0, 20, style, "x");
	screen_flush(s, &out);
	buf_add_byte(&out, 0);
	CHECK(!strstr((char *)out.data, "[0;3") && !strstr((char *)out.data, ";36") && strstr((char *)out.data, "[0;7m"));
	buf_free(&out);
	screen_free(s);
}

/* Compares the terminal's lines with those of screen_print(). */
static void check_shown(const struct screen *s, int rows)
{
	FILE *f = tmpfile();
	char line[COLS * 8];
	int row;

	screen_print(s, f);
	rewind(f);
	for (row = 0; row < rows; row++) {
		if (!fgets(line, sizeof(line), f))
			line[0] = 0;
		line[strcspn(line, "\n")] = 0;
		CHECK_STR(tty_line(row), line);
	}
	fclose(f);
}

/* Random drawings: the terminal shows the last one, whatever was drawn before, also after a change of its size. */
static void what_is_drawn_is_shown(void)
{
	static const char *const texts[] = { "goroutine", "\u4e16\u754c", "x", "   ", "\u00fc\u4e16", "\033[H" };
	struct screen *s = open_screen(6, 30);
	int i, k;

	srand(7);
	for (i = 0; i < 2000; i++) {
		if (rand() % 50 == 0)
			screen_resize(s, 6, 30);
		if (rand() % 5 == 0)
			screen_clear(s);
		for (k = 0; k < 4; k++)
			screen_put(s, rand() % 7 - 1, rand() % 34 - 2, rand() % 12, (enum style)(rand() % STYLES),
				   texts[rand() % 6]);
		show(s);
		if (i % 20 == 0)
			check_shown(s, 6);
	}
	CHECK_EQ(tty.strange, 0);
	screen_free(s);
}

/* --- keys --- */

static void keys_come_in_pieces(void)
{
	struct keys k = {0};

	keys_add(&k, "q", 1);
	CHECK_EQ(keys_next(&k, false), 'q');
	CHECK_EQ(keys_next(&k, true), KEY_NONE);
	keys_add(&k, "\033", 1);
	CHECK_EQ(keys_next(&k, false), KEY_NONE);
	keys_add(&k, "[", 1);
	CHECK_EQ(keys_next(&k, false), KEY_NONE);
	keys_add(&k, "Aj\033[6~\033OB", 9);
	CHECK_EQ(keys_next(&k, false), KEY_UP);
	CHECK_EQ(keys_next(&k, false), 'j');
	CHECK_EQ(keys_next(&k, false), KEY_PAGE_DOWN);
	CHECK_EQ(keys_next(&k, false), KEY_DOWN);
	keys_add(&k, "\033", 1);
	CHECK_EQ(keys_next(&k, true), KEY_ESCAPE);
	keys_add(&k, "\033[1;5Cx\xc3", 8);
	CHECK_EQ(keys_next(&k, false), KEY_UNKNOWN);
	CHECK_EQ(keys_next(&k, false), 'x');
	CHECK_EQ(keys_next(&k, false), KEY_NONE);
	keys_add(&k, "\xbc", 1);
	CHECK_EQ(keys_next(&k, false), 0xfc);
}

/* Random bytes: keys_next() consumes them all, and ends. */
static void any_bytes_are_taken(void)
{
	struct keys k = {0};
	char bytes[32];
	int i, j, n;

	srand(3);
	for (i = 0; i < 20000; i++) {
		n = rand() % 32;
		for (j = 0; j < n; j++)
			bytes[j] = rand() % 3 ? "\033[O;~AB19\xc3\xbc\xff"[rand() % 13] : (char)rand();
		keys_add(&k, bytes, (size_t)n);
		for (j = 0; keys_next(&k, false) != KEY_NONE; j++)
			CHECK(j < 64);
	}
	while (keys_next(&k, true) != KEY_NONE)
		;
	CHECK_EQ(k.n, 0);
}

/* --- the view --- */

static size_t frames_of(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	size_t i;

	for (i = 0; i < 6; i++)
		out[i] = (struct trace_frame){ i, "main.work", "/src/x.go", i + 1 };
	return key == 0x99 ? 6 : 0;
}

static const struct view view = {
	.program = "server", .pid = 7, .go_version = "go1.27.4", .frames = frames_of, .keys = true,
};

static void add_row(struct top_sample *s, uint64_t key, const char *name, uint64_t running, uint64_t waiting)
{
	struct top_row *r = vec_push(&s->rows, sizeof(*r));

	*r = (struct top_row){ .key = key, .name = xstrdup(name), .reason = (uint32_t)s->reasons.len, .reasons = 1 };
	r->n.ns[TOP_RUNNING] = running;
	r->n.now[TOP_WAITING] = waiting;
	*(struct top_reason *)vec_push(&s->reasons, sizeof(struct top_reason)) = (struct top_reason){ "chan receive", waiting };
}

static struct top_sample *make_sample(int rows, int procs)
{
	struct top_sample *s = xcalloc(1, sizeof(*s));
	char name[32];
	int i;

	*s = (struct top_sample){ .number = 1, .from = 1000000000, .to = 2000000000, .gomaxprocs = 2,
				    .by = "function" };
	s->machine = (struct top_machine){ .cpu = 1.5, .cpu_probes = 0.02, .cpu_budget = 0.2, .level = "" };
	s->all.now[TOP_WAITING] = 1204;
	for (i = 0; i < rows; i++) {
		snprintf(name, sizeof(name), "main.f%03d", i);
		add_row(s, 100 + (uint64_t)i, name, (uint64_t)(1000 - i) * 100000, (uint64_t)i);
	}
	for (i = 0; i < procs; i++)
		*(struct top_proc *)vec_push(&s->procs, sizeof(struct top_proc)) =
			(struct top_proc){ .id = (uint64_t)i, .running = 500000000 };
	return s;
}

static void draw(struct screen *screen, struct ui *u, const struct top_sample *s)
{
	if (s)
		ui_arrange(u, s);
	view_draw(&view, screen, u, s);
	show(screen);
}

static bool is_seen(const char *text)
{
	int row;

	for (row = 0; row < ROWS; row++)
		if (strstr(tty_line(row), text))
			return true;
	return false;
}

static void head_and_rows_at_80x24(void)
{
	struct screen *screen = open_screen(24, 80);
	struct top_sample *s = make_sample(3, 2);
	struct ui u = { .sort = COLUMN_RUNNING };

	draw(screen, &u, s);
	CHECK(strstr(tty_line(0), "server (process 7, go1.27.4)"));
	CHECK(strstr(tty_line(1), "lost 0, repairs 0"));
	CHECK(is_seen("CPU 150.0 %, GOMAXPROCS 2"));
	CHECK(is_seen("P0 [|||||     ] 50%"));
	CHECK(strstr(tty_line(10), "main.f000"));
	CHECK(strstr(tty_line(10), "10.0"));
	CHECK(strstr(tty_line(23), "q quit"));
	CHECK_EQ(tty.strange, 0);
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

static void losses_are_seen_on_any_screen(void)
{
	struct top_sample *s = make_sample(30, 2);
	struct ui u = {0};
	int rows;

	s->machine.lost = 17;
	s->machine.lost_ever = 20;
	s->machine.level = "no stacks";
	s->unrecorded = 250000000;
	for (rows = 4; rows < 30; rows++) {
		struct screen *screen = open_screen(rows, 80);

		draw(screen, &u, s);
		CHECK(is_seen("lost 17 (20 ever)"));
		CHECK(is_seen("NOT RECORDED 250ms, budget: no stacks"));
		screen_free(screen);
	}
	top_sample_free(s);
	ui_free(&u);
}

/* Of any size, with any number of Ps: all is drawn within the screen, and with known sequences. */
static void any_size_can_be_drawn(void)
{
	static const int procs[] = { 0, 1, 16, 17, 300 };
	struct ui u = { .sort = COLUMN_NAME };
	int rows, cols;
	size_t i;

	for (i = 0; i < 5; i++) {
		struct top_sample *s = make_sample(40, procs[i]);

		for (rows = 1; rows <= 30; rows += 3)
			for (cols = 1; cols < 150; cols += 7) {
				struct screen *screen = open_screen(rows, cols);

				u.expanded[0] = 100;
				u.n_expanded = 1;
				u.selected = 100 + (uint64_t)(rows * cols) % 40;
				u.help = cols % 5 == 0;
				draw(screen, &u, s);
				CHECK_EQ(tty.strange, 0);
				CHECK_STR(tty_line(rows), "");
				screen_free(screen);
			}
		top_sample_free(s);
	}
	ui_free(&u);
}

static void keys_select_sort_filter_expand(void)
{
	struct screen *screen = open_screen(24, 120);
	struct top_sample *s = make_sample(40, 2);
	struct ui u = { .sort = COLUMN_RUNNING };

	*(struct top_place *)vec_push(&s->places, sizeof(struct top_place)) =
		(struct top_place){ 101, TOP_WAITING, "chan receive", 0x99, 12 };
	draw(screen, &u, s);
	CHECK_EQ(ui_key(&u, KEY_DOWN, s), UI_REDRAW);
	CHECK_EQ(u.selected, 101);
	CHECK_EQ(ui_key(&u, KEY_ENTER, s), UI_PLACES);
	draw(screen, &u, s);
	CHECK(is_seen("12 waiting: chan receive at"));
	CHECK(is_seen("main.work x.go:4"));
	CHECK(!is_seen("main.work x.go:5"));
	CHECK(is_seen("and 2 more"));
	ui_key(&u, KEY_ENTER, s);
	draw(screen, &u, s);
	CHECK(!is_seen("12 waiting"));
	ui_key(&u, KEY_END, s);
	draw(screen, &u, s);
	CHECK(is_seen("main.f039"));
	CHECK(!is_seen("main.f000"));
	CHECK_EQ(ui_key(&u, '/', s), UI_REDRAW);
	ui_key(&u, 'F', s);
	ui_key(&u, '0', s);
	ui_key(&u, '1', s);
	ui_key(&u, 'q', s);
	ui_key(&u, KEY_BACKSPACE, s);
	draw(screen, &u, s);
	CHECK(is_seen("filter: F01_"));
	CHECK(is_seen("main.f019") && !is_seen("main.f020"));
	ui_key(&u, KEY_ESCAPE, s);
	draw(screen, &u, s);
	ui_key(&u, KEY_HOME, s);
	u.sort = COLUMN_WAITING;
	draw(screen, &u, s);
	CHECK_EQ(vec_at(&s->rows, struct top_row, *vec_at(&u.order, uint32_t, 0))->n.now[TOP_WAITING], 39);
	ui_key(&u, 'r', s);
	draw(screen, &u, s);
	CHECK_EQ(vec_at(&s->rows, struct top_row, *vec_at(&u.order, uint32_t, 0))->n.now[TOP_WAITING], 0);
	CHECK_EQ(ui_key(&u, 'q', s), UI_QUIT);
	CHECK_EQ(ui_key(&u, 'g', NULL), UI_GROUP);
	CHECK_EQ(ui_key(&u, KEY_DOWN, NULL), UI_NOTHING);
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

static void add_unit(struct top_sample *s, const char *name, uint64_t n, uint64_t p50, uint64_t p99)
{
	struct top_unit *u = vec_push(&s->units.list, sizeof(*u));

	*u = (struct top_unit){ .kind = "round", .n = n, .p50 = p50, .p99 = p99, .max = p99 + 1000000 };
	snprintf(u->name, sizeof(u->name), "%s", name);
}

static void units_have_a_rate_and_quantiles(void)
{
	struct screen *screen = open_screen(24, 150);
	struct top_sample *s = make_sample(3, 2);
	struct ui u = { .sort = COLUMN_RUNNING };

	draw(screen, &u, s);
	CHECK(is_seen("unit not known yet"));
	s->units.known = true;
	s->units.ns = 2000000000;
	draw(screen, &u, s);
	CHECK(is_seen("unit none: nothing repeats"));
	add_unit(s, "rounds of main.\033[2Jwork", 500, 2000000, 9000000);
	add_unit(s, "requests seen in main.idle", 0, 0, 0);
	draw(screen, &u, s);
	CHECK(is_seen("unit rounds of main.\\x1b[2Jwork 250/s, p50 2.00ms, p99 9.00ms, max 10.0ms"));
	CHECK(is_seen("unit requests seen in main.idle 0/s"));
	CHECK(!is_seen("main.idle 0/s, p50"));
	CHECK(!is_seen("left out"));
	s->units.skipped = 3;
	draw(screen, &u, s);
	CHECK(is_seen("3 parts of a second left out"));
	CHECK_EQ(tty.strange, 0);
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

static void waits_are_shown_by_reason(void)
{
	struct screen *screen = open_screen(24, 100);
	struct top_sample *s = make_sample(3, 2);
	struct ui u = {0};

	draw(screen, &u, s);
	CHECK(is_seen("blocked 0"));
	*(struct top_wait *)vec_push(&s->waits, sizeof(struct top_wait)) =
		(struct top_wait){ "chan receive", 3, 2500000000, { 12, 1000, 4000000, 5000000 } };
	*(struct top_wait *)vec_push(&s->waits, sizeof(struct top_wait)) = (struct top_wait){ "", 1, 500000000, {0} };
	draw(screen, &u, s);
	CHECK(is_seen("blocked 3.00: chan receive 2.50 (p99 4.00ms), (since before) 0.50"));
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

/* Rows of the runtime, with these reasons. */
static void add_system(struct top_sample *s, uint64_t key, const char *name, const char *reason, uint64_t now)
{
	struct top_row *r;

	add_row(s, key, name, 1000000, now);
	r = vec_at(&s->rows, struct top_row, s->rows.len - 1);
	r->system = true;
	r->reason = (uint32_t)s->reasons.len;
	r->reasons = 1;
	*(struct top_reason *)vec_push(&s->reasons, sizeof(struct top_reason)) = (struct top_reason){ reason, now };
}

static void the_rows_of_the_runtime_are_one_until_y(void)
{
	static const char sweep[] = "GC sweep wait", idle[] = "system goroutine wait";
	struct screen *screen = open_screen(24, 170);
	struct top_sample *s = make_sample(3, 2);
	struct ui u = { .sort = COLUMN_RUNNING };
	int once;

	add_system(s, 1, "runtime.bgsweep", sweep, 1);
	add_system(s, 2, "runtime.forcegchelper", idle, 1);
	add_system(s, 3, "runtime.runFinalizers", idle, 2);
	draw(screen, &u, s);
	CHECK(is_seen("main.f000") && !is_seen("runtime.bgsweep"));
	CHECK(is_seen("(the runtime's own: 3)"));
	CHECK(is_seen("GC sweep wait 1, system goroutine wait 3"));
	once = view_rows(&(struct view){0}, &u, s);
	/* goroutines now, RUN% */
	CHECK(is_seen("4   0.30"));
	CHECK_EQ(ui_key(&u, 'y', s), UI_REDRAW);
	draw(screen, &u, s);
	CHECK(is_seen("runtime.bgsweep") && is_seen("runtime.runFinalizers") && !is_seen("(the runtime's own"));
	CHECK_EQ(view_rows(&(struct view){0}, &u, s), once + 2);
	ui_key(&u, 'y', s);
	draw(screen, &u, s);
	CHECK(!is_seen("runtime.bgsweep") && !is_seen("(the runtime's own"));
	ui_key(&u, 'y', s);
	draw(screen, &u, s);
	CHECK(is_seen("(the runtime's own: 3)"));
	/* a filter finds them one by one */
	snprintf(u.filter, sizeof(u.filter), "bgsweep");
	draw(screen, &u, s);
	CHECK(is_seen("runtime.bgsweep") && !is_seen("(the runtime's own") && !is_seen("main.f000"));
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

/* A second sample in which one number differs takes less than 40 bytes. */
static void the_next_frame_is_small(void)
{
	struct screen *screen = open_screen(24, 80);
	struct top_sample *s = make_sample(12, 2);
	struct ui u = { .sort = COLUMN_RUNNING };
	size_t all;

	ui_arrange(&u, s);
	view_draw(&view, screen, &u, s);
	all = show(screen);
	vec_at(&s->rows, struct top_row, 2)->n.now[TOP_WAITING] = 7;
	view_draw(&view, screen, &u, s);
	CHECK(show(screen) < 40);
	CHECK(all > 500);
	CHECK(tty.written <= 4);
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

/* --once prints all rows, also more than a terminal can have. */
static void all_rows_are_printed(void)
{
	enum { MANY = 4096 };
	struct view once = view;
	struct screen *screen = screen_new(true, false);
	struct top_sample *s = make_sample(MANY, 100);
	struct ui u = { .sort = COLUMN_NAME };
	char line[256];
	FILE *f = tmpfile();
	int seen = 0;

	once.keys = false;
	ui_arrange(&u, s);
	screen_resize(screen, view_rows(&once, &u, s), 100);
	view_draw(&once, screen, &u, s);
	screen_print(screen, f);
	rewind(f);
	while (fgets(line, sizeof(line), f))
		seen += strstr(line, "main.f") != NULL;
	CHECK_EQ(seen, MANY);
	fclose(f);
	top_sample_free(s);
	ui_free(&u);
	screen_free(screen);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(only_cells_that_differ_are_written), UNIT(wide_characters_take_two_columns),
		UNIT(foreign_text_does_nothing_to_the_terminal), UNIT(no_color_is_no_color), UNIT(what_is_drawn_is_shown),
		UNIT(keys_come_in_pieces), UNIT(any_bytes_are_taken), UNIT(head_and_rows_at_80x24),
		UNIT(units_have_a_rate_and_quantiles), UNIT(waits_are_shown_by_reason),
		UNIT(the_rows_of_the_runtime_are_one_until_y),
		UNIT(losses_are_seen_on_any_screen), UNIT(any_size_can_be_drawn), UNIT(keys_select_sort_filter_expand),
		UNIT(the_next_frame_is_small), UNIT(all_rows_are_printed), {0},
	});
}
