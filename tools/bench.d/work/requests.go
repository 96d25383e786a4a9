// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net"
	"net/http"
	"os"
)

// serveMux: as serve, by a pattern.
func serveMux() worker {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	address = l.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", hello)
	go http.Serve(l, mux)
	return func(int) { panic("it serves others") }
}

// ask: an operation is a request that the program sends to the server at $WORK_ASKS.
func ask() worker {
	url := "http://" + os.Getenv("WORK_ASKS") + "/"
	return func(n int) {
		for range n {
			answer, err := http.Get(url)
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
}

// table is a driver of database/sql without a database: each query has one row.
type table struct{ left int }

func (table) Open(string) (driver.Conn, error)     { return &table{}, nil }
func (*table) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (*table) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }
func (*table) Columns() []string                   { return []string{"n"} }
func (*table) Close() error                        { return nil }
func (*table) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &table{1}, nil
}

func (t *table) Next(row []driver.Value) error {
	if t.left == 0 {
		return io.EOF
	}
	t.left--
	row[0] = int64(1)
	return nil
}

// query: an operation is a query of one row, on a connection that is there.
func query() worker {
	sql.Register("table", table{})
	db, err := sql.Open("table", "")
	if err != nil {
		panic(err)
	}
	return func(n int) {
		var got int
		for range n {
			if err := db.QueryRow("SELECT n FROM t WHERE id = 17").Scan(&got); err != nil {
				panic(err)
			}
		}
	}
}
