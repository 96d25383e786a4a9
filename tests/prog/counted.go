// SPDX-License-Identifier: Apache-2.0

// counted is a server of net/http that counts what it serves, by the name that gotap gives a request and by its status. It
// prints its address and "ready", and on SIGTERM a line for each: COUNT STATUS NAME.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// A route has requests of its path.
type route struct {
	name   string
	status int
	count  atomic.Int64
}

var routes = map[string]*route{
	// functions without a pattern
	"/plain":  {name: "GET main.plain", status: 200},
	"/teapot": {name: "GET main.teapot", status: 418},
	// patterns of a ServeMux: of the request of the connection, and of a copy that a middleware has made
	"/mux":  {name: "GET /mux", status: 200},
	"/copy": {name: "GET /copy", status: 200},
	// a copy in a function that ServeMux calls has the pattern of the request
	"/inner": {name: "GET /inner", status: 200},
	"/bytes": {name: "GET main.(*bytes).ServeHTTP", status: 200},
}

func plain(w http.ResponseWriter, r *http.Request)  { io.WriteString(w, "hello\n") }
func teapot(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) }

type bytes struct{}

func (*bytes) ServeHTTP(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 8)) }

func copied(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(r.Context())) }
}

func handler() http.HandlerFunc {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /mux", plain)
	mux.HandleFunc("GET /copy", plain)
	mux.Handle("GET /inner", copied(http.HandlerFunc(plain)))
	inner := map[string]http.Handler{
		"/plain": http.HandlerFunc(plain), "/teapot": http.HandlerFunc(teapot), "/bytes": &bytes{},
		"/mux": mux, "/inner": mux, "/copy": copied(mux),
	}
	return func(w http.ResponseWriter, r *http.Request) {
		h := inner[r.URL.Path]
		if h == nil {
			os.Exit(3) // nobody asks for anything else
		}
		routes[r.URL.Path].count.Add(1)
		h.ServeHTTP(w, r)
	}
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	go http.Serve(l, handler())
	fmt.Println(l.Addr())
	fmt.Println("ready")
	<-end
	for _, r := range routes {
		if n := r.count.Load(); n > 0 {
			fmt.Println(n, r.status, r.name)
		}
	}
}
