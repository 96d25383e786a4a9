// SPDX-License-Identifier: Apache-2.0

// Serves requests for tenants, which are profiler labels: of the handler, of a goroutine that it creates alone, or of none. The
// client is in the same program. Prints nothing: tests/labels_of_requests.bats knows how many requests each tenant has.
package main

import (
	"context"
	"io"
	"io/ioutil"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"sync"
	"time"
)

func work() { time.Sleep(time.Millisecond) }

func labelled(r *http.Request, f func()) {
	pprof.Do(r.Context(), pprof.Labels("tenant", r.URL.Query().Get("tenant")), func(context.Context) { f() })
}

// The handler has the label, and its goroutine inherits it.
func buy(w http.ResponseWriter, r *http.Request) {
	labelled(r, work)
	io.WriteString(w, "bought")
}

// A goroutine has the label, the handler has none.
func look(w http.ResponseWriter, r *http.Request) {
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		labelled(r, work)
	}()
	done.Wait()
}

func plain(w http.ResponseWriter, r *http.Request) { work() }

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/buy", buy)
	mux.HandleFunc("/look", look)
	mux.HandleFunc("/plain", plain)
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(path string, times int) {
		for i := 0; i < times; i++ {
			r, err := http.Get(server.URL + path)
			if err != nil {
				panic(err)
			}
			io.Copy(ioutil.Discard, r.Body)
			r.Body.Close()
		}
	}
	// one connection: its goroutine has a label during some requests
	get("/buy?tenant=acme-1", 7)
	get("/plain", 5)
	get("/buy?tenant=acme-2", 3)
	get("/look?tenant=acme-1", 4)
	get("/buy?tenant=other", 2)
}
