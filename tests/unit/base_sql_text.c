// SPDX-License-Identifier: Apache-2.0
/* The form of statements: literals and comments out, in the quoting of PostgreSQL, MySQL and SQLite. */
#include <string.h>

#include "base/sql_text.h"
#include "unit.h"

static void form_is(const char *sql, const char *want)
{
	char form[512];
	size_t n = sql_text_form(form, sql, strlen(sql));

	CHECK(n <= strlen(sql));
	form[n] = 0;
	CHECK_STR(form, want);
}

static void literals_go(void)
{
	form_is("SELECT a FROM t WHERE b = 'x''y' AND c = 42", "SELECT a FROM t WHERE b = ? AND c = ?");
	form_is("SELECT 1.5e-3, 0x1F, .5, -7, a1, 1e5x FROM t2", "SELECT ?, a1, ? FROM t2");
	form_is("a=-5 and b-5 and c - 5", "a=? and b-? and c - ?");
	form_is("SELECT E'it\\'s', N'x', X'ff', U&'d', _utf8'z'", "SELECT ?, _utf8?");
	form_is("SELECT ''", "SELECT ?");
	form_is("SELECT 'never ends", "SELECT ?");
}

static void lists_are_one(void)
{
	form_is("x IN (1, 2,3 , 'a')", "x IN (?)");
	form_is("INSERT INTO t (a, b) VALUES (?, ?), (?, ?),(1, 'x')", "INSERT INTO t (a, b) VALUES (?)");
	form_is("VALUES (?, now()), (?, now())", "VALUES (?, now()), (?, now())");
	form_is("SET a = 1, b = 2", "SET a = ?, b = ?");
	form_is("LIMIT 5, 10", "LIMIT ?");
	form_is("x IN ($1, $2) OR y IN (:a, :b) OR z = ?1", "x IN (?) OR y IN (?) OR z = ?");
}

static void comments_go(void)
{
	form_is("/* app:x */ SELECT a -- why 'not'\n FROM t # secret\nWHERE b", "SELECT a FROM t WHERE b");
	form_is("SELECT a/* 1 /* 2 */ 'x' */FROM t", "SELECT a FROM t");
	form_is("SELECT a /* never ends", "SELECT a");
	form_is("data #> '{a}' #>> '{b}'", "data #> ? #>> ?");
}

static void of_postgres(void)
{
	form_is("SELECT \"a b\" FROM \"t\" WHERE \"c\" = $1", "SELECT \"a_b\" FROM \"t\" WHERE \"c\" = ?");
	form_is("SELECT x::text, $$it's$$, $tag$a $$ b$tag$ FROM t", "SELECT x::text, ? FROM t");
	form_is("SELECT $fn$ never ends $f$", "SELECT ?");
	form_is("SELECT a[1:2]", "SELECT a[?:?]");
	form_is("SELECT 'C:\\' , 'secret'", "SELECT ?");
}

static void of_mysql(void)
{
	form_is("SELECT `a``b` FROM `t` WHERE n = \"secret\"", "SELECT `a``b` FROM `t` WHERE n = ?");
	form_is("INSERT INTO t VALUES (\"secret\", \"x\")", "INSERT INTO t VALUES (?)");
	form_is("a BETWEEN \"secret\" AND \"secret\" AND b", "a BETWEEN ? AND ? AND b");
	form_is("SELECT 'it\\'s secret', a", "SELECT ?");
	form_is("SELECT concat(\"secret\", a)", "SELECT concat(?, a)");
	form_is("SELECT `never ends", "SELECT ?");
	form_is("WHERE a LIKE \"secret\" OR b IN (\"secret\")", "WHERE a LIKE ? OR b IN (?)");
	form_is("SET @x := 5", "SET @x := ?");
}

static void of_sqlite(void)
{
	form_is("SELECT \"t\".\"a\" FROM \"t\" WHERE \"t\".\"b\" = ?", "SELECT \"t\".\"a\" FROM \"t\" WHERE \"t\".\"b\" = ?");
	form_is("UPDATE \"t\" SET \"a\" = ?", "UPDATE \"t\" SET \"a\" = ?");
	form_is("INSERT INTO \"t\" (\"a\", \"b\") VALUES (@a, ?2)", "INSERT INTO \"t\" (\"a\", \"b\") VALUES (@a, ?)");
}

static void blanks_are_one(void)
{
	form_is("\n\tSELECT  a,\r\n b \n", "SELECT a, b");
	form_is("", "");
	form_is(" ", "");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(literals_go), UNIT(lists_are_one), UNIT(comments_go), UNIT(of_postgres), UNIT(of_mysql),
		UNIT(of_sqlite), UNIT(blanks_are_one), {0} });
}
