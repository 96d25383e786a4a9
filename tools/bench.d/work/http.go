// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net"
	"net/http"
)

// address is where serve listens.
var address string

func hello(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello\n") }

// serve: a server for others to load; an operation is a request of its own.
func serve() worker {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	address = l.Addr().String()
	go http.Serve(l, http.HandlerFunc(hello))
	return func(n int) {
		for i := 0; i < n; i++ {
			answer, err := http.Get("http://" + address)
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
}
