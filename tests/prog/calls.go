// SPDX-License-Identifier: Apache-2.0

// calls sends requests with net/http in all of its ways, to servers of its own, and prints what net/http/httptrace and the
// results said about each, as a line of JSON. Each request has a path of its own. Arguments: how many rounds, and the
// milliseconds to wait before the first.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// call is what is known of a round trip without gotap. Durations are in ns.
type call struct {
	Path   string `json:"path"`
	Method string `json:"method"`
	Host   string `json:"host"`
	Status int    `json:"status"`
	Failed bool   `json:"failed"`
	Got    bool   `json:"got"` // a connection
	Reused bool   `json:"reused"`
	H2     bool   `json:"h2"`
	Conn   int64  `json:"conn"`
	Dial   int64  `json:"dial"`
	TLS    int64  `json:"tls"`
	First  int64  `json:"first"`
	All    int64  `json:"all"`
	Body   int    `json:"body"`
}

var (
	mu     sync.Mutex
	calls  []*call
	number int32
)

// conns has the connections that a call has had.
var conns sync.Map

// traced returns a context in which httptrace notes what happens to c.
func traced(c *call) context.Context {
	var asked, got, dial, shake time.Time
	return httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		GetConn: func(string) { asked = time.Now() },
		GotConn: func(i httptrace.GotConnInfo) {
			got = time.Now()
			mu.Lock()
			// i.Reused is true of a new one, too, that was dialled for another call and idle since
			_, used := conns.LoadOrStore(i.Conn, true)
			c.Got, c.Reused, c.Conn = true, used, int64(got.Sub(asked))
			mu.Unlock()
		},
		ConnectStart: func(string, string) { dial = time.Now() },
		ConnectDone: func(_, _ string, err error) {
			mu.Lock()
			c.Dial = int64(time.Since(dial))
			mu.Unlock()
		},
		TLSHandshakeStart: func() { shake = time.Now() },
		TLSHandshakeDone: func(tls.ConnectionState, error) {
			mu.Lock()
			c.TLS = int64(time.Since(shake))
			mu.Unlock()
		},
		GotFirstResponseByte: func() {
			mu.Lock()
			c.First = int64(time.Since(got))
			mu.Unlock()
		},
	})
}

// judge is a RoundTripper in front of the one that it watches: each round trip passes it.
type judge struct {
	next http.RoundTripper
	wrap func(*http.Request) (*http.Response, error) // another way to next
}

func (j judge) RoundTrip(r *http.Request) (*http.Response, error) {
	c := &call{Path: r.URL.Path, Method: r.Method, Host: r.URL.Host}
	f := j.wrap
	if f == nil {
		f = j.next.RoundTrip
	}
	r = r.WithContext(traced(c))
	since := time.Now()
	resp, err := f(r)
	all := int64(time.Since(since))
	mu.Lock()
	defer mu.Unlock()
	c.All, c.Failed = all, err != nil
	if err == nil {
		c.Status, c.H2 = resp.StatusCode, resp.ProtoMajor == 2
		if resp.ContentLength != 0 && r.Method != "HEAD" {
			c.Body = 1
		}
	}
	calls = append(calls, c)
	return resp, err
}

func unique(base, what string) string { return fmt.Sprint(base, "/", what, "/", atomic.AddInt32(&number, 1)) }

func send(c *http.Client, method, u string, body io.Reader) {
	r, err := http.NewRequest(method, u, body)
	if err != nil {
		panic(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return
	}
	ioutil.ReadAll(resp.Body)
	resp.Body.Close()
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/plain/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("/none/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/fail/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	mux.HandleFunc("/abort/", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/late/", func(w http.ResponseWriter, r *http.Request) { time.Sleep(3 * time.Millisecond) })
	mux.HandleFunc("/stream/", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 3; i++ {
			fmt.Fprintf(w, "part %d\n", i)
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	})
	mux.HandleFunc("/redirect/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, unique("", "plain"), 302)
	})
	return mux
}

func each(c *http.Client, base string) {
	for _, what := range []string{"plain", "none", "fail", "abort", "late", "stream", "redirect", "nosuch"} {
		send(c, "GET", unique(base, what), nil)
	}
	send(c, "POST", unique(base, "plain"), ioutil.NopCloser(http.NoBody))
	send(c, "HEAD", unique(base, "plain"), nil)
}

// contended: two requests and one connection.
func contended(base string) {
	t := &http.Transport{MaxConnsPerHost: 1}
	c := &http.Client{Transport: judge{next: t}}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			send(c, "GET", unique(base, "late"), nil)
		}()
	}
	wg.Wait()
	t.CloseIdleConnections()
}

// proxied: a ReverseProxy between, which uses its Transport without a Client.
func proxied(base string) {
	u, _ := url.Parse(base)
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport = judge{next: &http.Transport{}}
	p.ErrorLog = log.New(ioutil.Discard, "", 0)
	s := httptest.NewServer(p)
	defer s.Close()
	r, _ := http.NewRequest("GET", unique(s.URL, "plain"), nil)
	resp, err := s.Client().Do(r)
	if err != nil {
		panic(err)
	}
	resp.Body.Close()
	mu.Lock()
	// the request to the proxy itself, which no judge saw
	calls = append(calls, &call{Path: r.URL.Path, Method: "GET", Host: r.URL.Host, Status: resp.StatusCode, Body: 1, All: -1})
	mu.Unlock()
}

// refused: nobody listens there.
func refused() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	l.Close()
	send(&http.Client{Transport: judge{next: &http.Transport{}}}, "GET", unique("http://"+l.Addr().String(), "plain"), nil)
}

// direct: a method of *http.Transport that the compiler can inline into its caller.
func direct(base string) {
	t := &http.Transport{}
	j := judge{wrap: func(r *http.Request) (*http.Response, error) { return t.RoundTrip(r) }}
	send(&http.Client{Transport: j}, "GET", unique(base, "plain"), nil)
	t.CloseIdleConnections()
}

// noted is a connection that says when it is closed.
type noted struct {
	net.Conn
	closed chan<- bool
}

func (n noted) Close() error {
	err := n.Conn.Close()
	n.closed <- true
	return err
}

// early: the program gives up before the response, and before the end of a body. That ends after resp.Body.Close() has
// returned: the goroutine that reads the connection closes it, or from Go 1.27 on reads the rest of the body and keeps it.
func early(base string) {
	c := &http.Client{Transport: judge{next: &http.Transport{}}, Timeout: time.Millisecond / 2}
	send(c, "GET", unique(base, "late"), nil)
	closed := make(chan bool, 1)
	t := &http.Transport{
		Dial: func(network, address string) (net.Conn, error) {
			conn, err := net.Dial(network, address)
			return noted{conn, closed}, err
		},
	}
	c = &http.Client{Transport: judge{next: t}}
	resp, err := c.Get(unique(base, "stream"))
	if err != nil {
		panic(err)
	}
	resp.Body.Close()
	for {
		select {
		case <-closed:
			return
		case <-time.After(time.Millisecond):
			t.CloseIdleConnections()
		}
	}
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	wait, _ := strconv.Atoi(os.Args[2])
	log.SetOutput(ioutil.Discard)
	plain := httptest.NewServer(handler())
	secure := httptest.NewTLSServer(handler())
	h2 := httptest.NewUnstartedServer(handler())
	h2.EnableHTTP2 = true
	h2.Config.ErrorLog = log.New(ioutil.Discard, "", 0)
	h2.StartTLS()
	wrapped := func(s *httptest.Server) *http.Client {
		c := s.Client()
		c.Transport = judge{next: c.Transport}
		return c
	}
	clients := []*http.Client{wrapped(plain), wrapped(secure), wrapped(h2)}
	fmt.Println("ready")
	time.Sleep(time.Duration(wait) * time.Millisecond)
	for i := 0; i < rounds; i++ {
		for n, s := range []*httptest.Server{plain, secure, h2} {
			each(clients[n], s.URL)
		}
		contended(plain.URL)
		proxied(plain.URL)
		refused()
		direct(plain.URL)
		early(plain.URL)
	}
	mu.Lock()
	defer mu.Unlock()
	out := json.NewEncoder(os.Stdout)
	for _, c := range calls {
		if err := out.Encode(c); err != nil {
			panic(errors.New("no JSON"))
		}
	}
}
