// SPDX-License-Identifier: Apache-2.0

// netload is an HTTP server with clients of its own on loopback. It prints the server's address, too.
//
//	netload [-dur D] [-clients N] [-pause D]
package main

import (
	"flag"
	"fmt"
	"io"
	"io/ioutil"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

var (
	dur     = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	clients = flag.Int("clients", 4, "clients that send requests one after the other")
	pause   = flag.Duration("pause", time.Millisecond, "pause of a client between requests")

	served int64
)

func handle(w http.ResponseWriter, r *http.Request) {
	atomic.AddInt64(&served, 1)
	io.WriteString(w, "hello\n")
}

func client(url string) {
	for {
		resp, err := http.Get(url)
		if err == nil {
			_, err = io.Copy(ioutil.Discard, resp.Body)
			resp.Body.Close()
		}
		check(err)
		time.Sleep(*pause)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "netload:", err)
		os.Exit(1)
	}
}

func main() {
	flag.Parse()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go http.Serve(ln, http.HandlerFunc(handle))
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = *clients
	for i := 0; i < *clients; i++ {
		go client("http://" + ln.Addr().String())
	}
	fmt.Println("address", ln.Addr())
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
	fmt.Println("served", atomic.LoadInt64(&served))
}
