// SPDX-License-Identifier: Apache-2.0
/* Names as the runtime prints them, and what kind a name alone makes a function. */
#include "symbol/names.h"

#include "unit.h"

static void check_name(const char *name, const char *want)
{
	char buf[NAME_MAX_TRACE + 1];

	CHECK_EQ(name_for_trace(name, buf, sizeof(buf)), strlen(want));
	CHECK_STR(buf, want);
}

static void plain_names_stay(void)
{
	check_name("main.main", "main.main");
	check_name("runtime.(*mheap).alloc.func1", "runtime.(*mheap).alloc.func1");
	check_name("", "");
}

static void type_arguments_become_dots(void)
{
	check_name("main.sum[go.shape.int]", "main.sum[...]");
	check_name("main.(*list[go.shape.int_0]).walk", "main.(*list[...]).walk");
	check_name("main.f[go.shape.[]int].func1", "main.f[...].func1");
	/* from the first to the last bracket, whatever lies between */
	check_name("main.a[int].b[string].c", "main.a[...].c");
	check_name("type:.eq.[2]string", "type:.eq.[...]string");
	check_name("main.f[...]", "main.f[...]");
}

static void lone_brackets_stay(void)
{
	check_name("main.f[", "main.f[");
	check_name("main.f]", "main.f]");
	check_name("main.]f[", "main.]f[");
}

static void long_names_keep_their_end(void)
{
	char name[3000], want[NAME_MAX_TRACE + 1];

	memset(name, 'a', sizeof(name));
	strcpy(name + 2990, "[int].end");
	memset(want, 'a', sizeof(want));
	strcpy(want + NAME_MAX_TRACE - 9, "[...].end");
	check_name(name, want);
}

static void small_buffers_cut(void)
{
	char buf[5];

	CHECK_EQ(name_for_trace("main.main", buf, sizeof(buf)), 4);
	CHECK_STR(buf, "main");
}

static void kinds_by_name(void)
{
	CHECK_EQ(func_kind_by_name("runtime.gopanic"), FUNC_PANIC);
	CHECK_EQ(func_kind_by_name("runtime.sigpanic"), FUNC_PANIC);
	CHECK_EQ(func_kind_by_name("runtime.panicwrap"), FUNC_PANIC);
	CHECK_EQ(func_kind_by_name("runtime.deferreturn"), FUNC_WRAPPER);
	CHECK_EQ(func_kind_by_name("runtime.gopanic.func1"), FUNC_NORMAL);
	CHECK_EQ(func_kind_by_name("main.gopanic"), FUNC_NORMAL);
	CHECK_EQ(func_kind_by_name(""), FUNC_NORMAL);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(plain_names_stay), UNIT(type_arguments_become_dots),
		UNIT(lone_brackets_stay), UNIT(long_names_keep_their_end),
		UNIT(small_buffers_cut), UNIT(kinds_by_name), { 0 } });
}
