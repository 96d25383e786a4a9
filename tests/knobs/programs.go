// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"
)

// --- cachefill: a cache has its lock while it fetches what is missing; the fetch takes -knob us ---

type cache struct {
	lock  sync.Mutex
	known map[int]int
}

func fetch(key int) int {
	wait(*knob)
	return key
}

func (c *cache) get(key int) int {
	c.lock.Lock()
	defer c.lock.Unlock()
	if v, ok := c.known[key]; ok {
		return v
	}
	c.known[key] = fetch(key)
	return c.known[key]
}

func reader(c *cache, key int) {
	for ; ; key++ {
		begin := time.Now()
		c.get(key % 5000)
		work(150)
		if key%5000 == 0 {
			c.lock.Lock()
			clear(c.known)
			c.lock.Unlock()
		}
		finished(begin)
	}
}

func cachefill() {
	c := &cache{known: map[int]int{}}
	for i := 0; i < 3; i++ {
		go reader(c, i*1700)
	}
}

// --- resize: two workers decode pictures (-knob us of computing), one goroutine stores them ---

type picture struct {
	begin time.Time
	size  int
}

func decode(p *picture) {
	work(*knob)
	p.size = 1
}

func resizer(in, out chan *picture) {
	for p := range in {
		decode(p)
		out <- p
	}
}

func store(in chan *picture) {
	for p := range in {
		work(60)
		finished(p.begin)
	}
}

func resize() {
	in, out := make(chan *picture), make(chan *picture, 4)
	for i := 0; i < 2; i++ {
		go resizer(in, out)
	}
	go store(out)
	go func() {
		for {
			wait(1500)
			for i := 0; i < 3; i++ {
				in <- &picture{begin: time.Now()}
			}
		}
	}()
}

// --- calls: clients call a server over a connection each; it parses for -knob us ---

func parse(b []byte) int {
	work(*knob)
	return int(binary.LittleEndian.Uint32(b))
}

func serveCalls(c net.Conn) {
	b := make([]byte, 64)
	for {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		binary.LittleEndian.PutUint32(b, uint32(parse(b)+1))
		c.Write(b)
	}
}

func caller(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	b := make([]byte, 64)
	for {
		begin := time.Now()
		c.Write(b)
		io.ReadFull(c, b)
		work(200)
		finished(begin)
	}
}

func calls() {
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
			go serveCalls(c)
		}
	}()
	for i := 0; i < 2; i++ {
		go caller(l.Addr().String())
	}
}

// --- batches: rows are collected, ten at a time, and flushed; a flush takes -knob us ---

func flush(rows []int) { wait(*knob) }

func collects(rows chan int, ended chan bool) {
	var batch []int
	begin := time.Now()
	for row := range rows {
		batch = append(batch, row)
		if len(batch) < 10 {
			continue
		}
		flush(batch)
		work(100)
		batch = batch[:0]
		finished(begin)
		begin = time.Now()
	}
	ended <- true
}

func produces(rows chan int) {
	for i := 0; ; i++ {
		work(100)
		rows <- i
	}
}

func batches() {
	rows := make(chan int)
	go collects(rows, nil)
	go produces(rows)
}

// --- pages: an HTTP server, of which each page asks a database for -knob us; four browsers ---

func queryDatabase() { wait(*knob) }

func page(w http.ResponseWriter, r *http.Request) {
	queryDatabase()
	work(250)
	w.Write(bytes.Repeat([]byte("x"), 2000))
}

func browse(url string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	for {
		begin := time.Now()
		r, err := client.Get(url)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		finished(begin)
	}
}

func pages() {
	s := httptest.NewServer(http.HandlerFunc(page))
	for i := 0; i < 4; i++ {
		go browse(s.URL)
	}
}

// --- sorts: halves are sorted by two goroutines, and merged for -knob us by one ---

func merge() { work(*knob) }

func sortHalf(wg *sync.WaitGroup) {
	work(500)
	wg.Done()
}

func sortAll() {
	var wg sync.WaitGroup
	wg.Add(2)
	go sortHalf(&wg)
	go sortHalf(&wg)
	wg.Wait()
	merge()
}

func sorts() {
	go func() {
		for {
			begin := time.Now()
			sortAll()
			finished(begin)
		}
	}()
}

// --- logger: four goroutines compute, and append lines under a lock for -knob us ---

type journal struct{ lock sync.Mutex }

func (j *journal) appendLine() {
	j.lock.Lock()
	work(*knob)
	j.lock.Unlock()
}

func logs(j *journal) {
	for {
		begin := time.Now()
		work(150)
		j.appendLine()
		finished(begin)
	}
}

func logger() {
	j := &journal{}
	for i := 0; i < 4; i++ {
		go logs(j)
	}
}

// --- ticks: work arrives with a ticker, two at a time; each asks for -knob us. The rate is the ticker's. ---

func lookup() { wait(*knob) }

func answer(begin time.Time) {
	lookup()
	work(100)
	finished(begin)
}

func ticks() {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			go answer(time.Now())
			go answer(time.Now())
		}
	}()
}

// --- saves: a goroutine writes -knob KB to a file, and computes ---

func save(f *os.File, b []byte) {
	f.WriteAt(b, 0)
}

func saver(f *os.File, in chan time.Time) {
	b := make([]byte, *knob<<10)
	for begin := range in {
		save(f, b)
		work(100)
		finished(begin)
	}
}

func saves() {
	f, err := os.CreateTemp("", "knobs")
	if err != nil {
		panic(err)
	}
	os.Remove(f.Name())
	in := make(chan time.Time)
	go saver(f, in)
	go func() {
		for {
			work(50)
			in <- time.Now()
		}
	}()
}

// --- shards: a question goes to three shards, of which the slowest takes -knob us ---

func askSlow() { wait(*knob) }

func shard(n int, replies chan int) {
	switch n {
	case 0:
		askSlow()
	default:
		wait(2000 * n)
	}
	work(50)
	replies <- n
}

func question() {
	replies := make(chan int, 3)
	for i := 0; i < 3; i++ {
		go shard(i, replies)
	}
	for i := 0; i < 3; i++ {
		<-replies
	}
	work(200)
}

func asker() {
	for {
		begin := time.Now()
		question()
		finished(begin)
	}
}

func shards() {
	go asker()
	go asker()
}
