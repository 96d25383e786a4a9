// SPDX-License-Identifier: Apache-2.0

// queries calls database/sql in all of its ways, with a driver of its own that counts what it is asked for. Each call has a
// task of runtime/trace around it, as a judge of durations. It prints
//
//	counted WHAT ERRORS COUNT STATEMENT
//
// Arguments: how many rounds, and the milliseconds to wait before the first.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/trace"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type kind struct {
	what, text string
	failed     bool
}

var (
	mu      sync.Mutex
	counted = map[kind]int{}
)

// count notes that the driver was asked; statements with "bad" in them fail, those with "boom" panic.
func count(what, text string) error {
	boom := strings.Contains(text, "boom")
	failed := boom || strings.Contains(text, "bad")
	mu.Lock()
	counted[kind{what, text, failed}]++
	mu.Unlock()
	if strings.Contains(text, "slow") {
		time.Sleep(2 * time.Millisecond)
	}
	if boom {
		panic("boom")
	}
	if failed {
		return errors.New("bad")
	}
	return nil
}

type drv struct{}
type conn struct{}
type stmt struct{ text string }
type rows struct{ n int }
type tx struct{}

func (drv) Open(string) (driver.Conn, error) {
	time.Sleep(time.Millisecond)
	return conn{}, count("open", "")
}
func (conn) Prepare(q string) (driver.Stmt, error) { return stmt{q}, nil }
func (conn) Close() error                          { return nil }
func (conn) Begin() (driver.Tx, error)             { return tx{}, count("begin", "") }

// The driver has QueryContext, and no ExecContext: database/sql prepares those statements itself.
func (conn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.Contains(q, "skip") {
		return nil, driver.ErrSkip
	}
	if strings.Contains(q, "inside") {
		recovered(func() { panic("inside") })
	}
	return &rows{}, count("query", q)
}
func (tx) Commit() error       { return count("commit", "") }
func (tx) Rollback() error     { return count("rollback", "") }
func (stmt) Close() error      { return nil }
func (s stmt) NumInput() int   { return -1 }
func (r *rows) Close() error   { return count("rows", "") }
func (*rows) Columns() []string { return []string{"a"} }
func (s stmt) Exec([]driver.Value) (driver.Result, error) {
	return driver.RowsAffected(1), count("exec", s.text)
}
func (s stmt) Query([]driver.Value) (driver.Rows, error) { return &rows{}, count("query", s.text) }
func (r *rows) Next(v []driver.Value) error {
	if r.n++; r.n > 3 {
		return io.EOF
	}
	v[0] = int64(r.n)
	return nil
}

// judged runs f in a task: its begin and end are right around the call.
func judged(what string, f func()) {
	_, task := trace.NewTask(context.Background(), "judge "+what)
	f()
	task.End()
}

func drain(r *sql.Rows) {
	for r.Next() {
	}
	r.Close()
}

func query(db *sql.DB, text string, args ...interface{}) {
	var r *sql.Rows
	var err error
	judged("query", func() { r, err = db.QueryContext(context.Background(), text, args...) })
	if err == nil {
		drain(r)
	}
}

func exec(db *sql.DB, text string, args ...interface{}) { judged("exec", func() { db.Exec(text, args...) }) }

func transaction(db *sql.DB, commit bool) {
	t, err := db.Begin()
	if err != nil {
		panic(err)
	}
	defer t.Rollback()
	t.Exec("INSERT INTO t(a) VALUES (?, 'secret'), (?, 'secret')", 1, 2)
	if r, err := t.Query("SELECT a FROM t FOR UPDATE"); err == nil {
		drain(r)
	}
	if commit {
		t.Commit()
	}
}

// contended: two goroutines and one connection. The first one gives it back 2 ms after the other one has begun to wait.
func contended(one *sql.DB) {
	held, err := one.Query("SELECT slow FROM one")
	if err != nil {
		panic(err)
	}
	waited := one.Stats().WaitCount
	done := make(chan bool)
	go func() {
		if r, err := one.Query("SELECT slow FROM one"); err == nil {
			drain(r)
		}
		close(done)
	}()
	for one.Stats().WaitCount == waited {
		time.Sleep(100 * time.Microsecond)
	}
	time.Sleep(2 * time.Millisecond)
	drain(held)
	<-done
}

// recovered calls f, which panics.
func recovered(f func()) {
	defer func() { recover() }()
	f()
}

// panics: the driver does, and the goroutine goes on; of the last one it recovers itself.
func panics(db *sql.DB) {
	recovered(func() { db.Query("SELECT boom") })
	recovered(func() { db.Exec("DELETE FROM boom") })
	recovered(func() { transact(db, "DELETE FROM boom") })
	if r, err := db.Query("SELECT inside"); err == nil {
		drain(r)
	}
}

// transact rolls back as the panic of the statement passes.
func transact(db *sql.DB, text string) {
	t, err := db.Begin()
	if err != nil {
		panic(err)
	}
	defer t.Rollback()
	t.Exec(text)
}

func round(db, one *sql.DB, q, e *sql.Stmt) {
	query(db, "SELECT a FROM t WHERE b = 'secret' AND c IN (1, 2, 3) -- secret", 1)
	query(db, "SELECT a FROM skip WHERE b = ?", 1)
	query(db, "SELECT bad")
	exec(db, "UPDATE t SET a = 12.5, b = 'it''s secret' WHERE c = ?", 1)
	exec(db, "DELETE FROM bad")
	judged("query", func() {
		if r, err := q.Query(1); err == nil {
			drain(r)
		}
	})
	judged("exec", func() { e.Exec(1) })
	transaction(db, true)
	transaction(db, false)
	panics(db)
	contended(one)
	if r := db.QueryRow("SELECT one row"); r != nil {
		var a int
		r.Scan(&a)
	}
}

// leave leaves rows open.
func leave(db *sql.DB) {
	if r, err := db.Query("SELECT a FROM open"); err == nil {
		r.Next()
	}
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	wait, _ := strconv.Atoi(os.Args[2])
	sql.Register("counting", drv{})
	db, _ := sql.Open("counting", "")
	one, _ := sql.Open("counting", "")
	one.SetMaxOpenConns(1)
	q, _ := db.Prepare("SELECT prepared FROM t WHERE b = $1")
	e, _ := db.Prepare("INSERT INTO prepared VALUES ($1)")
	fmt.Println("ready")
	time.Sleep(time.Duration(wait) * time.Millisecond)
	for i := 0; i < rounds; i++ {
		round(db, one, q, e)
	}
	leave(db)
	leave(db)
	time.Sleep(20 * time.Millisecond)
	var lines []string
	for k, n := range counted {
		lines = append(lines, fmt.Sprintf("counted %s %t %d %s", k.what, k.failed, n, k.text))
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
