// SPDX-License-Identifier: Apache-2.0
/* buildinfo: see buildinfo.h. */
#define _GNU_SOURCE
#include "target/buildinfo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "release/release.h"

/*
 * The header, as debug/buildinfo reads it:
 *	 0  "\xff Go buildinf:"
 *	14  pointer size
 *	15  flags: 1 = big endian, 2 = strings inline (since Go 1.18)
 *	16  not inline: pointers to the Go string headers of version and modules
 *	32  inline: version and modules, each a varint length and the text
 */
#define MAGIC "\xff Go buildinf:"

enum {
	FLAGS_AT = 15, FLAG_BIG_ENDIAN = 1, FLAG_INLINE = 2,
	POINTERS_AT = 16, INLINE_AT = 32,
	ALIGNMENT = 16,
	/* without a section: how much of the start of the data segment is searched */
	SEARCHED = 64 << 10,
	MAX_TEXT = 16 << 20,
	MODULES_FRAME = 16,		/* random bytes before and after the module text */
	MAX_SETTINGS = 256,
};

struct text {
	const char *data;
	size_t len;
};

/* --- where it is --- */

/* Looks for the header in [off, off + size) of the file; stores its offset in *@ret. */
static bool find_magic(const struct elf_file *f, uint64_t off, uint64_t size, uint64_t *ret)
{
	const uint8_t *data = elf_file_at(f, off, size);
	size_t i;

	for (i = 0; data && i + INLINE_AT <= size; i += ALIGNMENT) {
		if (!memcmp(data + i, MAGIC, sizeof(MAGIC) - 1)) {
			*ret = off + i;
			return true;
		}
	}
	return false;
}

static bool find_header(const struct elf_file *f, uint64_t *ret)
{
	Elf64_Shdr section;
	Elf64_Phdr ph;
	size_t i = 0;

	if (elf_section_header(f, ".go.buildinfo", &section))
		return find_magic(f, section.sh_offset, section.sh_size, ret);
	while (elf_load_next(f, &i, PF_W, &ph))
		if (find_magic(f, ph.p_offset, ph.p_filesz < SEARCHED ? ph.p_filesz : SEARCHED,
			       ret))
			return true;
	return false;
}

/* --- the two texts --- */

/* Reads a varint length and as many bytes, from offset *@at on; empty if they are not there. */
static struct text buildinfo_read_inline(const struct elf_file *f, uint64_t *at)
{
	struct text none = { "", 0 };
	const uint8_t *c, *data;
	unsigned int shift;
	uint64_t len = 0;

	for (shift = 0; shift < 35; shift += 7) {
		c = elf_file_at(f, (*at)++, 1);
		if (!c)
			return none;
		len |= (uint64_t)(*c & 0x7f) << shift;
		if (*c & 0x80)
			continue;
		data = len <= MAX_TEXT ? elf_file_at(f, *at, len) : NULL;
		*at += len;
		return data ? (struct text){ (const char *)data, len } : none;
	}
	return none;
}

/*
 * Returns the Go string that the pointer at @p leads to. In a position-independent executable that
 * pointer is 0 in the file, and a relocation fills it in: the text is then empty.
 */
static struct text read_pointed(const struct elf_file *f, const uint8_t *p)
{
	struct text ret = { "", 0 };
	uint64_t addr, string[2];
	const uint8_t *header;

	memcpy(&addr, p, sizeof(addr));
	header = elf_bytes(f, addr, sizeof(string));
	if (!header)
		return ret;
	memcpy(string, header, sizeof(string));
	ret.data = string[1] <= MAX_TEXT ? (const char *)elf_bytes(f, string[0], string[1]) : NULL;
	return ret.data ? (struct text){ ret.data, string[1] } : (struct text){ "", 0 };
}

static void buildinfo_read_texts(const struct elf_file *f, struct text *version,
				 struct text *modules)
{
	const uint8_t *header = NULL;
	uint64_t at;
	uint8_t flags;

	*version = *modules = (struct text){ "", 0 };
	if (find_header(f, &at))
		header = elf_file_at(f, at, INLINE_AT);
	if (!header)
		return;
	flags = header[FLAGS_AT];
	at += INLINE_AT;
	if (flags & FLAG_INLINE) {
		*version = buildinfo_read_inline(f, &at);
		*modules = buildinfo_read_inline(f, &at);
	} else if (!(flags & FLAG_BIG_ENDIAN)) {
		*version = read_pointed(f, header + POINTERS_AT);
		*modules = read_pointed(f, header + POINTERS_AT + sizeof(uint64_t));
	}
}

/* --- without build info: the string of runtime.buildVersion --- */

/* Returns the length of "go1.N[.N]" at @s, 0 if there is no such text. */
static size_t release_length(const char *s, size_t n)
{
	size_t i = 4, dots = 0, digits = 0;

	if (n < 5 || memcmp(s, "go1.", 4))
		return 0;
	for (; i < n && i < 12; i++) {
		if (isdigit((unsigned char)s[i]))
			digits++;
		else if (s[i] != '.' || dots++ || !digits)
			break;
	}
	while (i > 4 && s[i - 1] == '.')
		i--;
	return digits ? i : 0;
}

/* Returns whether @data has a Go string header (pointer to @addr, length @len). */
static bool is_referred_to(const struct text *data, uint64_t addr, size_t len)
{
	uint64_t header[2] = { addr, len };

	return memmem(data->data, data->len, header, sizeof(header)) != NULL;
}

/* Returns the first writable segment, where the linker puts runtime.buildVersion. */
static struct text data_segment(const struct elf_file *f)
{
	const uint8_t *data = NULL;
	Elf64_Phdr ph;
	size_t i = 0, n = 0;

	if (elf_load_next(f, &i, PF_W, &ph)) {
		n = ph.p_filesz < MAX_TEXT ? ph.p_filesz : MAX_TEXT;
		data = elf_file_at(f, ph.p_offset, n);
	}
	return data ? (struct text){ (const char *)data, n } : (struct text){ "", 0 };
}

/*
 * Finds a release at @s that a string header refers to. Go's linker packs strings without a gap, so
 * that digits of the next string may follow the release: the longest reading is tried first, then
 * shorter ones.
 */
static struct text referred_release(const struct text *data, const char *s, size_t len,
				    uint64_t addr)
{
	for (; len > 5; len--) {
		if (s[len - 1] != '.' && is_referred_to(data, addr, len))
			return (struct text){ s, len };
	}
	return (struct text){ "", 0 };
}

/*
 * Prefers a release that a variable refers to. In position-independent executables the reference is
 * a relocation, which this does not read: the first full "go1.N.N" counts there.
 */
static struct text find_release(const struct elf_file *f, const Elf64_Phdr *ph)
{
	const char *start = (const char *)elf_file_at(f, ph->p_offset, ph->p_filesz);
	const char *s = start, *end = start ? start + ph->p_filesz : NULL;
	struct text found, first = { "", 0 }, data = data_segment(f);
	int tries;

	for (tries = 0; s && tries < 16; tries++, s += 4) {
		size_t len;

		s = memmem(s, (size_t)(end - s), "go1.", 4);
		if (!s)
			break;
		len = release_length(s, (size_t)(end - s));
		found = referred_release(&data, s, len, ph->p_vaddr + (uint64_t)(s - start));
		if (found.len)
			return found;
		if (!first.len && memchr(s + 4, '.', len > 4 ? len - 4 : 0))
			first = (struct text){ s, len };
	}
	return first;
}

static struct text search_segments(const struct elf_file *f, uint32_t flags)
{
	struct text found = { "", 0 };
	Elf64_Phdr ph;
	size_t i = 0;

	while (!found.len && i < 16 && elf_load_next(f, &i, 0, &ph))
		if ((ph.p_flags & (PF_W | PF_X)) == flags)
			found = find_release(f, &ph);
	return found;
}

/* The system's linker for arm64 puts constants into the segment of the code. */
static struct text search_release(const struct elf_file *f)
{
	struct text found = search_segments(f, 0);

	return found.len ? found : search_segments(f, PF_X);
}

/* --- the module text --- */

/* Cuts the next field off *@rest, up to @sep or to the end. */
static struct text buildinfo_cut(struct text *rest, char sep)
{
	const char *end = memchr(rest->data, sep, rest->len);
	struct text field = { rest->data, end ? (size_t)(end - rest->data) : rest->len };
	size_t used = field.len + (end != NULL);

	rest->data += used;
	rest->len -= used;
	return field;
}

static bool text_is(struct text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.data, s, t.len);
}

/*
 * Copies the text up to its first NUL. The linker quotes values with blanks; the quotes are left
 * out.
 */
static char *text_copy(struct text t)
{
	if (t.len >= 2 && t.data[0] == '"' && t.data[t.len - 1] == '"')
		t = (struct text){ t.data + 1, t.len - 2 };
	return xstrndup(t.data, t.len);
}

static void add_setting(struct buildinfo *info, struct text line)
{
	struct build_setting *setting;

	if (info->settings.len >= MAX_SETTINGS)
		return;
	setting = vec_push(&info->settings, sizeof(*setting));
	setting->key = text_copy(buildinfo_cut(&line, '='));
	setting->value = text_copy(line);
}

static void buildinfo_read_line(struct buildinfo *info, struct text line)
{
	struct text kind = buildinfo_cut(&line, '\t');

	if (text_is(kind, "build")) {
		add_setting(info, line);
	} else if (text_is(kind, "mod") && !info->module_path) {
		info->module_path = text_copy(buildinfo_cut(&line, '\t'));
		info->module_version = text_copy(buildinfo_cut(&line, '\t'));
	}
}

static void read_modules(struct buildinfo *info, struct text modules)
{
	if (modules.len < 2 * MODULES_FRAME + 1)
		return;
	modules.data += MODULES_FRAME;
	modules.len -= 2 * MODULES_FRAME;
	while (modules.len)
		buildinfo_read_line(info, buildinfo_cut(&modules, '\n'));
}

void buildinfo_read(struct buildinfo *ret, const struct elf_file *f)
{
	struct text version, modules;

	*ret = (struct buildinfo){0};
	buildinfo_read_texts(f, &version, &modules);
	if (!version.len)
		version = search_release(f);
	if (version.len) {
		ret->version = xstrndup(version.data, version.len < 256 ? version.len : 256);
		ret->minor = release_of_version(ret->version);
	}
	read_modules(ret, modules);
	ret->module_path = ret->module_path ?: xstrdup("");
	ret->module_version = ret->module_version ?: xstrdup("");
}

void buildinfo_free(struct buildinfo *info)
{
	size_t i;

	for (i = 0; i < info->settings.len; i++) {
		free(vec_at(&info->settings, struct build_setting, i)->key);
		free(vec_at(&info->settings, struct build_setting, i)->value);
	}
	vec_free(&info->settings);
	free(info->version);
	free(info->module_path);
	free(info->module_version);
	*info = (struct buildinfo){0};
}

const char *buildinfo_setting(const struct buildinfo *info, const char *key)
{
	size_t i;

	for (i = 0; i < info->settings.len; i++) {
		const struct build_setting *s = vec_at(&info->settings, struct build_setting, i);

		if (!strcmp(s->key, key))
			return s->value;
	}
	return NULL;
}
