// SPDX-License-Identifier: Apache-2.0

// requests is a server with its own clients, over HTTP/1 and over HTTP/2 with TLS, and handlers that end in all ways in
// which handlers end. It prints what it served:
//
//	served PROTO PATH COUNT
//	client REMOTE TRACEPARENT COUNT
//
// Arguments: how many requests of each kind, and the milliseconds to wait before the first (-1: until SIGUSR1 comes; -2: and
// until it comes again before it ends); a third one: and two requests at the end that are longer than a generation of a trace.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type kind struct{ proto, path string }

var (
	mu     sync.Mutex
	served = map[kind]int{}
	// by remote address and traceparent
	clients = map[[2]string]int{}
)

// count is the outermost handler, which every request passes before anything can end it.
func count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served[kind{fmt.Sprint("h", r.ProtoMajor), r.URL.Path}]++
		clients[[2]string{r.RemoteAddr, r.Header.Get("Traceparent")}]++
		mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

func hijack(w http.ResponseWriter, r *http.Request) {
	h, ok := w.(http.Hijacker)
	if !ok {
		w.WriteHeader(501)
		return
	}
	c, _, err := h.Hijack()
	if err == nil {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		c.Close()
	}
}

func stream(w http.ResponseWriter, r *http.Request) {
	for i := 0; i < 3; i++ {
		fmt.Fprintf(w, "part %d\n", i)
		w.(http.Flusher).Flush()
	}
}

// late outlives its response: the TimeoutHandler around it answers 503, and the request ends.
func late(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func children(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(100 * time.Microsecond)
		}()
	}
	wg.Wait()
	io.WriteString(w, "done")
}

func handlers() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/plain", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("/status/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) })
	mux.HandleFunc("/panic", func(w http.ResponseWriter, r *http.Request) { panic("x") })
	mux.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/goexit", func(w http.ResponseWriter, r *http.Request) { runtime.Goexit() })
	mux.HandleFunc("/hijack", hijack)
	mux.HandleFunc("/stream", stream)
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) { time.Sleep(1300 * time.Millisecond) })
	mux.HandleFunc("/children", children)
	mux.Handle("/late", http.TimeoutHandler(http.HandlerFunc(late), 2*time.Millisecond, "late"))
	return count(mux)
}

var paths = []string{"/plain?q=1", "/status/x", "/panic", "/abort", "/goexit", "/hijack", "/stream", "/children", "/late", "/nosuch", "/with%20space"}

// get makes a request: each second one has a traceparent, and half of these many other headers.
func get(c *http.Client, url string, i int) (*http.Response, error) {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	if i%2 == 0 {
		req.Header.Set("traceparent", fmt.Sprintf("00-%032x-%016x-01", i+1, i+2))
	}
	for j := 0; i%4 == 0 && j < 8; j++ {
		req.Header.Set(fmt.Sprint("X-Header-", j), "x")
	}
	return c.Do(req)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	wait, _ := strconv.Atoi(os.Args[2])
	log.SetOutput(ioutil.Discard)
	quiet := log.New(ioutil.Discard, "", 0)
	one := httptest.NewUnstartedServer(handlers())
	one.Config.ErrorLog = quiet
	one.Start()
	two := httptest.NewUnstartedServer(handlers())
	two.Config.ErrorLog = quiet
	two.TLS = &tls.Config{NextProtos: []string{"h2"}}
	two.EnableHTTP2 = true
	two.StartTLS()
	callers := map[string]*http.Client{
		one.URL: {Transport: &http.Transport{}},
		two.URL: {Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}},
	}
	begin := make(chan os.Signal, 1)
	if wait < 0 {
		signal.Notify(begin, syscall.SIGUSR1)
	}
	fmt.Println("ready")
	if wait < 0 {
		<-begin
	}
	time.Sleep(time.Duration(wait) * time.Millisecond)
	for i := 0; i < n; i++ {
		for _, path := range paths {
			for url, c := range callers {
				if resp, err := get(c, url+path, i); err == nil {
					io.Copy(ioutil.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		}
	}
	for url, c := range callers {
		if len(os.Args) <= 3 {
			break
		}
		if resp, err := c.Get(url + "/long"); err == nil {
			resp.Body.Close()
		}
	}
	time.Sleep(50 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	var lines []string
	for k, count := range served {
		lines = append(lines, fmt.Sprintf("served %s %q %d", k.proto, k.path, count))
	}
	for k, count := range clients {
		lines = append(lines, fmt.Sprintf("client %q %q %d", k[0], k[1], count))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	if wait == -2 {
		<-begin
	}
}
