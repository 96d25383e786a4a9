// SPDX-License-Identifier: Apache-2.0

// A search asks seven shards in memory and one archive at the same time, and waits for all of them.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type shard struct{ words []string }

func (s *shard) search(word string) (found int) {
	for _, w := range s.words {
		if strings.HasPrefix(w, word) {
			found++
		}
	}
	return found
}

type archive struct {
	mu   sync.Mutex
	idle []net.Conn
	addr string
}

func (a *archive) connect() net.Conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.idle); n > 0 {
		conn := a.idle[n-1]
		a.idle = a.idle[:n-1]
		return conn
	}
	conn, err := net.Dial("tcp", a.addr)
	if err != nil {
		log.Fatal(err)
	}
	return conn
}

func (a *archive) release(conn net.Conn) {
	a.mu.Lock()
	a.idle = append(a.idle, conn)
	a.mu.Unlock()
}

func (a *archive) search(word string) int {
	conn := a.connect()
	defer a.release(conn)
	fmt.Fprintln(conn, word)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return 0
	}
	found, _ := strconv.Atoi(strings.TrimSpace(line))
	return found
}

type index struct {
	shards  []*shard
	archive *archive
}

func (x *index) handleSearch(word string) (total int64) {
	var wg sync.WaitGroup
	for _, s := range x.shards {
		wg.Add(1)
		go func(s *shard) {
			defer wg.Done()
			atomic.AddInt64(&total, int64(s.search(word)))
		}(s)
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		atomic.AddInt64(&total, int64(x.archive.search(word)))
	}()
	wg.Wait()
	return atomic.LoadInt64(&total)
}

// readTape is the archive's side of one connection: a search takes 30 ms.
func readTape(conn net.Conn) {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		time.Sleep(30 * time.Millisecond)
		fmt.Fprintln(conn, len(lines.Text()))
	}
}

func main() {
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go readTape(conn)
		}
	}()
	x := &index{archive: &archive{addr: l.Addr().String()}}
	for i := 0; i < 7; i++ {
		s := &shard{}
		for k := 0; k < 2000; k++ {
			s.words = append(s.words, strconv.Itoa(i*7919+k*31))
		}
		x.shards = append(x.shards, s)
	}
	drive(6, 2*time.Millisecond, func(user, n int) { x.handleSearch(strconv.Itoa(n % 100)) })
}

// drive calls op in so many goroutines, each one call after the other, and prints how long calls took.
func drive(users int, pause time.Duration, op func(user, n int)) {
	var took timings
	var wg sync.WaitGroup
	until := time.Now().Add(*runFor)
	for user := 0; user < users; user++ {
		wg.Add(1)
		go func(user int) {
			defer wg.Done()
			for n := 0; time.Now().Before(until); n++ {
				began := time.Now()
				op(user, n)
				took.add(time.Since(began))
				time.Sleep(pause)
			}
		}(user)
	}
	wg.Wait()
	took.print()
}

// timings has how long each operation took, for the line that is printed at exit.
type timings struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (t *timings) add(d time.Duration) {
	t.mu.Lock()
	t.taken = append(t.taken, d)
	t.mu.Unlock()
}

func (t *timings) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	sort.Slice(t.taken, func(i, j int) bool { return t.taken[i] < t.taken[j] })
	if n := len(t.taken); n > 0 {
		fmt.Printf("ops=%d p50=%v p99=%v max=%v\n", n, t.taken[n/2], t.taken[n*99/100], t.taken[n-1])
	}
}
