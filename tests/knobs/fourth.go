// SPDX-License-Identifier: Apache-2.0

// The programs of the fourth set. They were written when those of the others had been looked at.
package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"
)

func init() {
	for name, run := range map[string]func(){
		"orders": orders, "archive": archive, "tree": tree, "sessions": sessions, "pool": pool,
		"readings": readings, "feed": feed, "crawl": crawl, "persists": persists, "twolocks": twolocks,
	} {
		programs[name] = run
	}
}

// --- orders: three goroutines check an order, insert it, for -knob us, and count it under a lock ---

func insert() { wait(*knob) }

func takesOrders(lock *sync.Mutex, sum *int) {
	for {
		begin := time.Now()
		work(150)
		insert()
		lock.Lock()
		work(50)
		*sum++
		lock.Unlock()
		finished(begin)
	}
}

func orders() {
	var lock sync.Mutex
	var sum int
	for i := 0; i < 3; i++ {
		go takesOrders(&lock, &sum)
	}
}

// --- archive: blocks are read, compressed by two goroutines in -knob us each, and written by one ---

type block struct {
	begin time.Time
	data  []byte
}

func compress(b *block) { work(*knob) }

func compressor(in, out chan *block) {
	for b := range in {
		compress(b)
		out <- b
	}
}

func archive() {
	f, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	in, out := make(chan *block, 2), make(chan *block, 2)
	go func() {
		for {
			b := &block{time.Now(), make([]byte, 32<<10)}
			f.Read(b.data)
			in <- b
		}
	}()
	go compressor(in, out)
	go compressor(in, out)
	go func() {
		for b := range out {
			work(250)
			finished(b.begin)
		}
	}()
}

// --- tree: a sum over a tree, a goroutine for each half; a leaf takes -knob us ---

func leaf() { work(*knob) }

func node(depth int) {
	if depth == 0 {
		leaf()
		return
	}
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer wg.Done()
			node(depth - 1)
		}()
	}
	wg.Wait()
	work(80)
}

func tree() {
	go func() {
		for {
			begin := time.Now()
			node(2)
			finished(begin)
		}
	}()
}

// --- sessions: a login and a question over one connection; the question takes the server -knob us ---

func question2() { wait(*knob) }

func serveSession(c net.Conn) {
	b := make([]byte, 8)
	for n := 0; ; n++ {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		if n%2 == 0 {
			work(200)
		} else {
			question2()
		}
		c.Write(b)
	}
}

func session(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	b := make([]byte, 8)
	for {
		begin := time.Now()
		c.Write(b)
		io.ReadFull(c, b)
		work(100)
		c.Write(b)
		io.ReadFull(c, b)
		finished(begin)
	}
}

func sessions() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveSession(c)
		}
	}()
	go session(l.Addr().String())
	go session(l.Addr().String())
}

// --- pool: six goroutines share two connections to a backend, which computes for -knob us ---

func backendWork() { work(*knob) }

func backendPage(w http.ResponseWriter, r *http.Request) {
	backendWork()
	w.Write([]byte("done"))
}

func pooled(c *http.Client, url string, slots chan bool) {
	for {
		begin := time.Now()
		slots <- true
		ask(c, url)
		<-slots
		wait(3000)
		finished(begin)
	}
}

func pool() {
	s := httptest.NewServer(http.HandlerFunc(backendPage))
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}
	slots := make(chan bool, 2)
	for i := 0; i < 6; i++ {
		go pooled(c, s.URL, slots)
	}
}

// --- readings: with a ticker two readings come, which are digested in -knob us each, one after the other ---

func digest() { work(*knob) }

func digester(in chan time.Time) {
	for begin := range in {
		digest()
		finished(begin)
	}
}

func readings() {
	in := make(chan time.Time, 8)
	go digester(in)
	go func() {
		for range time.Tick(4 * time.Millisecond) {
			in <- time.Now()
			in <- time.Now()
		}
	}()
}

// --- feed: articles go to two subscribers, each with a channel of 4; one takes -knob us for an article ---

func slowSubscriber() { work(*knob) }

func subscriber(in chan time.Time, do func()) {
	for range in {
		do()
	}
}

func publisher(subscribers []chan time.Time) {
	for {
		begin := time.Now()
		work(200)
		for _, s := range subscribers {
			s <- begin
		}
		finished(begin)
	}
}

func feed() {
	a, b := make(chan time.Time, 4), make(chan time.Time, 4)
	go subscriber(a, slowSubscriber)
	go subscriber(b, func() { work(100) })
	go publisher([]chan time.Time{a, b})
}

// --- crawl: two crawlers fetch a page, 2 ms, and are polite for -knob us ---

func polite() { wait(*knob) }

func fetchPage() {
	wait(2000)
	work(200)
}

func crawler() {
	for {
		begin := time.Now()
		fetchPage()
		polite()
		finished(begin)
	}
}

func crawl() {
	go crawler()
	go crawler()
}

// --- persists: what a producer computes is written to a file, -knob KB ---

func persist(f *os.File, b []byte) { f.WriteAt(b, 0) }

func persister(f *os.File, in chan time.Time) {
	b := make([]byte, *knob<<10)
	for begin := range in {
		persist(f, b)
		finished(begin)
	}
}

func persists() {
	f, err := os.CreateTemp("", "knobs")
	if err != nil {
		panic(err)
	}
	os.Remove(f.Name())
	in := make(chan time.Time, 1)
	go persister(f, in)
	go func() {
		for {
			work(150)
			in <- time.Now()
		}
	}()
}

// --- twolocks: three goroutines take one lock for 100 us, and another one for -knob us ---

type pair struct{ first, second sync.Mutex }

func (p *pair) one() {
	p.first.Lock()
	defer p.first.Unlock()
	work(100)
}

func (p *pair) two() {
	p.second.Lock()
	defer p.second.Unlock()
	work(*knob)
}

func takesBoth(p *pair) {
	for {
		begin := time.Now()
		p.one()
		p.two()
		work(50)
		finished(begin)
	}
}

func twolocks() {
	p := &pair{}
	for i := 0; i < 3; i++ {
		go takesBoth(p)
	}
}
