// SPDX-License-Identifier: Apache-2.0

// children is a server with its own clients. The goroutines that work for its requests say for which one, as a log of
// category "truth":
//
//	must PATH	it was created by the request with this path, which is open
//	may PATH	it works for that request, and for others at other times
//	none		it works for no request
//
// Argument: how many requests of each kind.
package main

import (
	"context"
	"io"
	"io/ioutil"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

func says(what string) { trace.Log(context.Background(), "truth", what) }

type job struct {
	path string
	done chan bool
}

func newJob(r *http.Request) job { return job{r.URL.Path, make(chan bool)} }

// own starts goroutines, and these start one each.
func own(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(2)
		go func() {
			says("must " + r.URL.Path)
			go func() {
				says("must " + r.URL.Path)
				time.Sleep(50 * time.Microsecond)
				says("must " + r.URL.Path)
				wg.Done()
			}()
			time.Sleep(100 * time.Microsecond)
			says("must " + r.URL.Path)
			wg.Done()
		}()
	}
	wg.Wait()
}

// pool has workers that were there before any request.
var jobs = make(chan job)

func worker(from chan job, what string) {
	for j := range from {
		if what == "may" {
			says("may " + j.path)
		} else {
			says(what)
		}
		time.Sleep(20 * time.Microsecond)
		j.done <- true
	}
}

func pool(w http.ResponseWriter, r *http.Request) {
	j := newJob(r)
	jobs <- j
	<-j.done
}

// lazy has workers that the first requests start.
var (
	lazyJobs    = make(chan job)
	lazyMu      sync.Mutex
	lazyWorkers int
)

func lazy(w http.ResponseWriter, r *http.Request) {
	j := newJob(r)
	lazyMu.Lock()
	if lazyWorkers < 3 {
		lazyWorkers++
		go worker(lazyJobs, "may")
	}
	lazyMu.Unlock()
	lazyJobs <- j
	<-j.done
	time.Sleep(300 * time.Microsecond)
}

// queue has two stages with buffers.
var first, second = make(chan job, 16), make(chan job, 16)

func stage() {
	for j := range first {
		says("none")
		second <- j
	}
}

func queue(w http.ResponseWriter, r *http.Request) {
	j := newJob(r)
	first <- j
	<-j.done
}

// flight lets the first one of several requests do the work for all.
var (
	flightMu sync.Mutex
	flying   chan bool
)

func flight(w http.ResponseWriter, r *http.Request) {
	flightMu.Lock()
	c := flying
	if c == nil {
		c = make(chan bool)
		flying = c
		go func() {
			says("must " + r.URL.Path)
			time.Sleep(200 * time.Microsecond)
			says("must " + r.URL.Path)
			flightMu.Lock()
			flying = nil
			flightMu.Unlock()
			close(c)
		}()
	}
	flightMu.Unlock()
	<-c
}

// outlive leaves a goroutine behind.
var left sync.WaitGroup

func outlive(w http.ResponseWriter, r *http.Request) {
	left.Add(1)
	go func() {
		time.Sleep(20 * time.Millisecond)
		says("none")
		left.Done()
	}()
}

// call uses connections that other requests have opened.
var far *httptest.Server
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}

func call(w http.ResponseWriter, r *http.Request) {
	if resp, err := client.Get(far.URL + "/far" + r.URL.Path); err == nil {
		io.Copy(ioutil.Discard, resp.Body)
		resp.Body.Close()
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < 3; i++ {
		go worker(jobs, "none")
	}
	go stage()
	go worker(second, "none")
	kinds := map[string]http.HandlerFunc{"own": own, "pool": pool, "lazy": lazy, "queue": queue, "flight": flight,
		"outlive": outlive, "call": call}
	mux := http.NewServeMux()
	for kind, h := range kinds {
		mux.HandleFunc("/"+kind+"/", h)
	}
	mux.HandleFunc("/far/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "far") })
	far = httptest.NewServer(mux)
	near := httptest.NewServer(mux)
	var clients sync.WaitGroup
	for kind := range kinds {
		for c := 0; c < 3; c++ {
			clients.Add(1)
			go func(path string) {
				defer clients.Done()
				for i := 0; i < n; i++ {
					if resp, err := http.Get(near.URL + path + strconv.Itoa(i)); err == nil {
						io.Copy(ioutil.Discard, resp.Body)
						resp.Body.Close()
					}
				}
			}("/" + kind + "/" + strconv.Itoa(c) + ".")
		}
	}
	clients.Wait()
	left.Wait()
	time.Sleep(20 * time.Millisecond)
}
