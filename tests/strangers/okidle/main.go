// SPDX-License-Identifier: Apache-2.0

// Healthy: a server that nobody asks, with its usual tickers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type node struct {
	beats atomic.Int64
	mu    sync.Mutex
	peers map[string]time.Time
}

func (n *node) heartbeat() {
	for range time.Tick(100 * time.Millisecond) {
		n.beats.Add(1)
		n.mu.Lock()
		n.peers["self"] = time.Now()
		n.mu.Unlock()
	}
}

func (n *node) forgetPeers() {
	for range time.Tick(500 * time.Millisecond) {
		n.mu.Lock()
		for name, seen := range n.peers {
			if time.Since(seen) > time.Minute {
				delete(n.peers, name)
			}
		}
		n.mu.Unlock()
	}
}

func (n *node) handlePeers(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Fprintln(w, len(n.peers))
}

func main() {
	flag.Parse()
	n := &node{peers: map[string]time.Time{}}
	go n.heartbeat()
	go n.forgetPeers()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/peers", n.handlePeers)
	server := &http.Server{Handler: mux}
	go server.Serve(l)
	ctx, cancel := context.WithTimeout(context.Background(), *runFor)
	defer cancel()
	<-ctx.Done()
	server.Shutdown(context.Background())
	fmt.Printf("ops=%d\n", n.beats.Load())
}
