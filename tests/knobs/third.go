// SPDX-License-Identifier: Apache-2.0

// The programs of the third set. They were written when those of the others had been looked at.
package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"
)

func init() {
	for name, run := range map[string]func(){
		"albums": albums, "events": events, "counters": counters, "chat": chat, "retries": retries,
		"signs": signs, "stages": stages, "draws": draws, "scans": scans, "phases": phases,
	} {
		programs[name] = run
	}
}

// --- albums: an album has four pictures, each made by a goroutine in -knob us, and an index that takes 300 us ---

func thumb() { work(*knob) }

func album() {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Go(thumb)
	}
	wg.Go(func() { work(300) })
	wg.Wait()
}

func albums() {
	go func() {
		for {
			begin := time.Now()
			album()
			finished(begin)
		}
	}()
}

// --- events: three sources, of different pace; one goroutine selects, and handles an event in -knob us ---

func handleEvent() { work(*knob) }

func eventLoop(a, b, c chan time.Time) {
	for {
		var begin time.Time
		select {
		case begin = <-a:
		case begin = <-b:
		case begin = <-c:
		}
		handleEvent()
		finished(begin)
	}
}

func source(us int, out chan time.Time) {
	for {
		work(us)
		out <- time.Now()
	}
}

func events() {
	a, b, c := make(chan time.Time), make(chan time.Time), make(chan time.Time)
	go eventLoop(a, b, c)
	go source(200, a)
	go source(400, b)
	go source(800, c)
}

// --- counters: four locked counters, of which each update computes for -knob us; six goroutines ---

type counter struct {
	lock sync.Mutex
	n    int
}

func (c *counter) update() {
	c.lock.Lock()
	work(*knob)
	c.n++
	c.lock.Unlock()
}

func counts(all []*counter, n int) {
	for ; ; n += 3 {
		begin := time.Now()
		all[n%len(all)].update()
		wait(2000)
		finished(begin)
	}
}

func counters() {
	all := []*counter{{}, {}, {}, {}}
	for i := 0; i < 6; i++ {
		go counts(all, i)
	}
}

// --- chat: a hub routes messages in -knob us to five members, which take 60 us each and answer now and then ---

func route() { work(*knob) }

func hub(in chan time.Time, members []chan time.Time) {
	for begin := range in {
		route()
		for _, m := range members {
			m <- begin
		}
		finished(begin)
	}
}

func member(in, out chan time.Time, talks bool) {
	for range in {
		work(60)
		if talks {
			out <- time.Now()
		}
	}
}

func chat() {
	in := make(chan time.Time, 2)
	var members []chan time.Time
	for i := 0; i < 5; i++ {
		m := make(chan time.Time, 4)
		members = append(members, m)
		go member(m, in, i == 0)
	}
	go hub(in, members)
	in <- time.Now()
	in <- time.Now()
}

// --- retries: four goroutines try, back off for -knob us, and try again ---

func backoff() { wait(*knob) }

func try(n int) bool {
	work(120)
	return n%3 == 2
}

func retrier() {
	for {
		begin := time.Now()
		for n := 0; !try(n); n++ {
			backoff()
		}
		finished(begin)
	}
}

func retries() {
	for i := 0; i < 4; i++ {
		go retrier()
	}
}

// --- signs: three clients ask a server over a Unix socket each; it signs for -knob us ---

func sign() { work(*knob) }

func signer(c net.Conn) {
	b := make([]byte, 32)
	for {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		sign()
		c.Write(b)
	}
}

func asksToSign(path string) {
	c, err := net.Dial("unix", path)
	if err != nil {
		panic(err)
	}
	b := make([]byte, 32)
	for {
		begin := time.Now()
		c.Write(b)
		io.ReadFull(c, b)
		wait(1000)
		finished(begin)
	}
}

func signs() {
	dir, err := os.MkdirTemp("", "knobs")
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go signer(c)
		}
	}()
	for i := 0; i < 3; i++ {
		go asksToSign(path)
	}
	go func() {
		wait(50000)
		os.RemoveAll(dir)
	}()
}

// --- stages: four stages with channels of 8 between them; the third one asks somebody for -knob us ---

func enrich() { wait(*knob) }

func stage(in, out chan time.Time, do func()) {
	for t := range in {
		do()
		out <- t
	}
}

func stages() {
	a, b, c, d := make(chan time.Time, 8), make(chan time.Time, 8), make(chan time.Time, 8), make(chan time.Time, 8)
	go func() {
		for {
			work(100)
			a <- time.Now()
		}
	}()
	go stage(a, b, func() { work(200) })
	go stage(b, c, enrich)
	go stage(c, d, func() { work(300) })
	go func() {
		for t := range d {
			finished(t)
		}
	}()
}

// --- draws: an HTTP server draws for -knob us; three browsers look at it for 1 ms ---

func draw() { work(*knob) }

func picturePage(w http.ResponseWriter, r *http.Request) {
	draw()
	w.Write(make([]byte, 4000))
}

func looks(url string) {
	c := &http.Client{Transport: &http.Transport{}}
	for {
		begin := time.Now()
		ask(c, url)
		wait(1000)
		finished(begin)
	}
}

func draws() {
	s := httptest.NewServer(http.HandlerFunc(picturePage))
	for i := 0; i < 3; i++ {
		go looks(s.URL)
	}
}

// --- scans: two goroutines read pieces of -knob KB and look at them ---

func readPiece(f *os.File, b []byte) { f.ReadAt(b, 0) }

func scan(f *os.File) {
	b := make([]byte, *knob<<10)
	for {
		begin := time.Now()
		readPiece(f, b)
		work(300)
		finished(begin)
	}
}

func scans() {
	f, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	go scan(f)
	go scan(f)
	// they never wait: somebody counts their rounds
	go func() {
		for {
			wait(5000)
		}
	}()
}

// --- phases: three goroutines do a phase each, and meet at a barrier; the phase of one takes -knob us ---

type barrier struct {
	lock    sync.Mutex
	turned  *sync.Cond
	n, turn int
}

func (b *barrier) meet() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.n++
	if b.n == 3 {
		b.n = 0
		b.turn++
		b.turned.Broadcast()
		return
	}
	for turn := b.turn; turn == b.turn; {
		b.turned.Wait()
	}
}

func slowPhase() { work(*knob) }

func phase(b *barrier, i int) {
	for {
		begin := time.Now()
		if i == 0 {
			slowPhase()
			b.meet()
			finished(begin)
			continue
		}
		work(150)
		b.meet()
	}
}

func phases() {
	b := &barrier{}
	b.turned = sync.NewCond(&b.lock)
	for i := 0; i < 3; i++ {
		go phase(b, i)
	}
}
