// SPDX-License-Identifier: Apache-2.0

// downstream is three programs, of which one calls the next:
//
//	downstream back NETWORK ADDRESS
//	downstream front ADDRESS NETWORK BACK MODE TRUTH
//	downstream load FRONT COUNT CLIENTS
//
// front answers /a/ID by a call of back, GET /b/TOKEN with a random token, and writes "ID TOKEN" to the file TRUTH. MODE says
// how it calls: keep (one connection, kept), each (a connection for each call), pool (a connection for each call at a time,
// kept), three (one kept connection, three calls one after the other), child (as pool, in a goroutine of the handler). Servers
// print their address and serve until they are killed. load calls front COUNT times, with CLIENTS calls at a time.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/ioutil"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func listen(network, address string) net.Listener {
	l, err := net.Listen(network, address)
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	fmt.Println("ready")
	return l
}

// price takes some time in three ways: it computes, it waits for another goroutine, it sleeps.
func price(w http.ResponseWriter, r *http.Request) {
	done := make(chan int)
	go func() {
		time.Sleep(300 * time.Microsecond)
		sum := 0
		for i := 0; i < 20000; i++ {
			sum += i * i
		}
		done <- sum
	}()
	fmt.Fprintln(w, <-done)
}

func back(network, address string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/b/", price)
	http.Serve(listen(network, address), mux)
}

type front struct {
	client *http.Client
	url    string
	calls  int
	child  bool
	mu     sync.Mutex
	truth  *bufio.Writer
	random *rand.Rand
}

func (f *front) token(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	token := strconv.FormatInt(f.random.Int63(), 36)
	fmt.Fprintln(f.truth, id, token)
	f.truth.Flush()
	return token
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.child {
		f.answer(w, r)
		return
	}
	done := make(chan bool)
	go func() {
		f.answer(w, r)
		close(done)
	}()
	<-done
}

func (f *front) answer(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/a/")
	for i := 0; i < f.calls; i++ {
		resp, err := f.client.Get(f.url + "/b/" + f.token(id))
		if err != nil {
			http.Error(w, err.Error(), 502)
			return
		}
		io.Copy(w, resp.Body)
		resp.Body.Close()
	}
}

func serveFront(address, network, backAddress, mode, truth string) {
	file, err := os.Create(truth)
	if err != nil {
		panic(err)
	}
	t := &http.Transport{DisableKeepAlives: mode == "each", MaxIdleConnsPerHost: 64}
	if mode == "keep" || mode == "three" {
		t.MaxConnsPerHost = 1
	}
	f := &front{client: &http.Client{Transport: t}, calls: 1, child: mode == "child", url: "http://" + backAddress,
		truth: bufio.NewWriter(file), random: rand.New(rand.NewSource(1))}
	if mode == "three" {
		f.calls = 3
	}
	if network == "unix" {
		f.url = "http://back"
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", backAddress)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/a/", f)
	http.Serve(listen("tcp", address), mux)
}

func load(front string, count, clients int) {
	var wg sync.WaitGroup
	ids := make(chan int)
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	for i := 0; i < clients; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for id := range ids {
				resp, err := c.Get(fmt.Sprintf("http://%s/a/%d", front, id))
				if err != nil {
					panic(err)
				}
				io.Copy(ioutil.Discard, resp.Body)
				resp.Body.Close()
				if resp.StatusCode != 200 {
					panic(resp.Status)
				}
			}
		}()
	}
	for id := 0; id < count; id++ {
		ids <- id
	}
	close(ids)
	wg.Wait()
}

func main() {
	a := os.Args[1:]
	switch a[0] {
	case "back":
		back(a[1], a[2])
	case "front":
		serveFront(a[1], a[2], a[3], a[4], a[5])
	case "load":
		count, _ := strconv.Atoi(a[2])
		clients, _ := strconv.Atoi(a[3])
		load(a[1], count, clients)
	}
}
