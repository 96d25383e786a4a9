// SPDX-License-Identifier: Apache-2.0

// Forger writes into the memory that it shares with `gotap record --attach inline`, in the way that
// its argument names; without one it prints their names. It never ends by itself, but a fault ends
// it when gotap takes that memory away.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// Numbers of include/record.def and include/rings.h.
const (
	goStart, goPark, goStop, goDead            = 1, 2, 3, 4
	goReady, goCreate                          = 5, 6
	sysEnter, pStart, pStop, procs             = 16, 32, 33, 36
	extraEnter, extraLeave, stwBegin           = 20, 21, 48
	labels, userRegion, userLog, stack         = 37, 58, 60, 64
	skip, busy                                 = 0x7f, 0x80
	chunk, stateBytes                          = 4096, 64
	magic                                      = 0x31656e696c6e6967
)

type word = uintptr

func u64(at word) *uint64 { return (*uint64)(unsafe.Pointer(at)) }
func u32(at word) *uint32 { return (*uint32)(unsafe.Pointer(at)) }
func u16(at word) *uint16 { return (*uint16)(unsafe.Pointer(at)) }
func u8(at word) *uint8   { return (*uint8)(unsafe.Pointer(at)) }

// The shared memory: struct inline_shared of include/inline.h at its begin.
type shared struct {
	base, size, states, chunks word
	n                          word // rings
}

// ring is one of a CPU: struct ring_state, and its chunks.
type ring struct {
	state, data, size word
}

func find() (s shared, ok bool) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var low, high word
		if !strings.Contains(lines.Text(), "/memfd:gotap") {
			continue
		}
		fmt.Sscanf(lines.Text(), "%x-%x", &low, &high)
		s.base, s.size = low, high-low
		ok = true
	}
	return
}

func await() shared {
	for {
		s, ok := find()
		if ok && *u64(s.base) == magic && atomic.LoadUint32(u32(s.base+12)) != 0 {
			s.n = word(*u32(s.base + 20))
			s.states = s.base + word(*u64(s.base + 24))
			s.chunks = s.base + word(*u64(s.base + 48))
			return s
		}
		time.Sleep(time.Millisecond)
	}
}

func (s shared) ring(i word) ring {
	state := s.states + i*stateBytes
	r := ring{state, s.chunks + word(*u32(state + 8))*chunk, word(*u32(state+12)) * chunk}
	if r.size == 0 || r.data+r.size > s.base+s.size {
		r.data, r.size = s.chunks, (s.base+s.size-s.chunks)/s.n&^(chunk-1)
	}
	return r
}

// Bytes of a record of that kind without a text.
func length(kind byte) word {
	switch kind {
	case goStart, goDead, pStart, pStop, extraEnter, extraLeave:
		return 32
	case stack:
		return 40 + 128*8
	case labels, userRegion, userLog:
		return 56 + 128
	}
	return 48
}

// A record of @kind at @at, with words that code of gotap could have written.
func put(at word, kind byte, tid uint32, id, ptr uint64) {
	n := length(kind)
	for i := word(0); i < n; i += 8 {
		*u64(at + i) = 0
	}
	*u32(at + 8), *u64(at + 16), *u64(at + 24) = tid, id, ptr
	switch kind {
	case stack:
		*u64(at + 24) = 0
		*u8(at + 13) = 1
		*u32(at + 32), *u32(at + 36) = 128, 128
		for i := word(0); i < 128; i++ {
			*u64(at + 40 + i*8) = 0x400000 + (id*7+uint64(i)*13)&0xfffff
		}
	case labels, userRegion, userLog:
		*u16(at + 48), *u32(at + 52) = 64, 128
		for i := word(0); i < 64; i += 8 {
			*u64(at + 56 + i) = id*0x9e3779b97f4a7c15 + uint64(i)
		}
	case goPark, goReady, goStop, goCreate, sysEnter:
		*u64(at + 32) = id
	case procs:
		*u64(at + 24) = 0
	}
	*u8(at + 12) = kind
}

// fill makes the ring full of records that @make writes, and says so.
func (r ring) fill(make func(at word) word) {
	for at := word(0); at < r.size; {
		left := chunk - at%chunk
		if left < 56+2048 {
			if left >= 32 {
				*u8(r.data + at + 12) = skip
			}
			at += left
			continue
		}
		at += make(r.data + at)
	}
	atomic.StoreUint64(u64(r.state), uint64(r.size/8)<<32)
}

// Has gotap read what this program wrote? It has changed the position then.
func (r ring) isRead() bool {
	return atomic.LoadUint64(u64(r.state)) != uint64(r.size/8)<<32
}

// flood fills each ring when gotap has read it. It does not sleep, since that makes true records among
// the false ones.
func flood(s shared, make func(at word) word) {
	for {
		for i := word(0); i < s.n; i++ {
			if r := s.ring(i); r.isRead() {
				r.fill(make)
			}
		}
	}
}

var id = uint64(1 << 20)

// of floods with records of these kinds, each with the next id; @tid gives their threads.
func of(tid func() uint32, kinds ...byte) func(s shared) {
	return func(s shared) {
		flood(s, func(at word) word {
			kind := kinds[id%uint64(len(kinds))]
			id++
			put(at, kind, tid(), id, id<<4&(1<<46-1))
			return length(kind)
		})
	}
}

func first() uint32 { return uint32(os.Getpid()) }

func next() uint32 { return uint32(id) & (1<<22 - 1) }

func random() uint64 { return rand.Uint64() >> uint(rand.Intn(64)) }

var lies = map[string]func(s shared){
	"threads":    of(next, goStart, goPark),
	"goroutines": of(first, goCreate),
	"nameless":   func(s shared) { flood(s, nameless) },
	"again":      again,
	"ends":       func(s shared) { flood(s, ends) },
	"extras":     func(s shared) { flood(s, extras) },
	"stopped":    func(s shared) { flood(s, stopped) },
	"unended":    of(first, goStart, goPark),
	"stacks":     of(first, stack),
	"keys":       of(first, goReady, sysEnter),
	"texts":      func(s shared) { flood(s, texts) },
	"ps":         func(s shared) { flood(s, lyingPs) },
	"seats":      seats,
	"sizes":      sizes,
	"notes":      notes,
	"lengths":    func(s shared) { flood(s, wrongLengths) },
	"kinds":      func(s shared) { flood(s, anyKind) },
	"times":      func(s shared) { flood(s, anyTime) },
	"positions":  positions,
	"torn":       torn,
	"busy":       stuck,
}

// The same goroutines again and again, with losses, so that gotap reads all states anew meanwhile.
func again(s shared) {
	flood(s, func(at word) word {
		id = id&(1<<19-1) + 1
		if id%4096 == 0 {
			atomic.AddUint64(u64(s.states+24), 1<<20)
		}
		put(at, goCreate, first(), id, id<<4&(1<<46-1))
		return length(goCreate)
	})
}

// Creations without a goid, of goroutines that never have one. From Go 1.24 on gotap refuses them.
func nameless(at word) word {
	put(at, goCreate, first(), 0, uint64(uintptr(unsafe.Pointer(&zeros))))
	return length(goCreate)
}

var zeros [512]uint64

// Goroutines that begin, each with another function, and end.
func ends(at word) word {
	id++
	kind := []byte{goCreate, goStart, goDead}[id%3]
	put(at, kind, first(), id/3, id/3<<4&(1<<46-1))
	if kind == goCreate {
		*u64(at + 32), *u64(at + 40) = 0, random()>>8
	}
	return length(kind)
}

// C threads that call Go, each with another goroutine.
func extras(at word) word {
	id++
	kind := []byte{extraEnter, extraLeave}[id%2]
	put(at, kind, first(), id/2, id/2<<4&(1<<46-1))
	return length(kind)
}

// speak makes a record of @kind. Each 16th says that a goroutine runs, without which a trace has no texts.
func speak(at word, kind byte) word {
	if id++; id%16 == 0 {
		put(at, goStart, first(), 1, 0xc000000000)
		return length(goStart)
	}
	put(at, kind, first(), id, 0)
	return length(kind)
}

func texts(at word) word { return speak(at, []byte{userRegion, userLog}[id/2%2]) }

// The world is stopped, and nobody starts it.
func stopped(at word) word {
	if id%1024 == 5 {
		return speak(at, stwBegin)
	}
	return speak(at, userLog)
}

func lyingPs(at word) word {
	id++
	kind := []byte{pStart, pStop, procs}[rand.Intn(3)]
	put(at, kind, first(), id%8192, 0xc000000000+id%8192*4096)
	return length(kind)
}

// Each P that a program can have, idle, but for one that counts: and two threads that run without one by turns.
func seats(s shared) {
	tids := []uint32{first(), second()}
	flood(s, func(at word) word {
		id++
		n := id - 1<<20 - 1
		switch {
		case n < 2*8192:
			kind := []byte{pStart, pStop}[n%2]
			put(at, kind, tids[0], n/2, 0xc000000000+n/2*4096)
			return length(kind)
		case n%65536 == 2*8192:
			put(at, procs, tids[0], 1, 0)
			return length(procs)
		}
		put(at, goStart, tids[n%2], 1+n%2, 0xc000000000+n%2*512)
		return length(goStart)
	})
}

// The number of Ps changes all the time, in a program with as many threads as gotap believes, each in a system call.
func sizes(s shared) {
	flood(s, func(at word) word {
		id++
		switch n := id % 64; {
		case n == 0:
			put(at, goStart, first(), 1, 0xc000000000)
			return length(goStart)
		case n == 1:
			put(at, sysEnter, next(), id, id<<4&(1<<46-1))
			return length(sysEnter)
		default:
			put(at, procs, first(), 1+n%8, 0)
			return length(procs)
		}
	})
}

// second is the id of another thread than the first one.
func second() uint32 {
	tasks, _ := os.ReadDir("/proc/self/task")
	tid := os.Getpid()
	for _, t := range tasks {
		if n, _ := strconv.Atoi(t.Name()); n != tid {
			return uint32(n)
		}
	}
	return first()
}

// Losses on each CPU in each round, of which notes speak, and threads without a goroutine.
func notes(s shared) {
	flood(s, func(at word) word {
		id++
		for i := word(0); i < s.n; i++ {
			atomic.AddUint64(u64(s.states+i*stateBytes+24), 1)
		}
		put(at, pStop, next(), 0, 0xc000000000)
		return length(pStop)
	})
}

func wrongLengths(at word) word {
	id++
	kind := []byte{labels, userRegion, userLog, stack}[rand.Intn(4)]
	put(at, kind, first(), id, 0)
	switch kind {
	case stack:
		*u32(at + 32) = uint32(random())
	case labels:
		*u16(at + 48) = 128
		*u8(at + 56), *u8(at + 57) = uint8(rand.Int()), uint8(rand.Int())
		*u8(at + 58) = 1 | 8 | 16
	default:
		*u16(at + 48), *u16(at + 50) = uint16(random()), uint16(random())
		*u8(at + 13) = uint8(rand.Intn(4))
	}
	return length(kind)
}

func anyKind(at word) word {
	kind := byte(rand.Intn(128))
	if kind == 0 || kind == skip {
		kind = goStart
	}
	n := length(kind)
	put(at, kind, first(), random(), random())
	*u8(at + 13), *u16(at + 14) = uint8(random()), uint16(random())
	return n
}

func anyTime(at word) word {
	id++
	put(at, goReady, first(), id%100+1, 0xc000000000+id%100*512)
	*u64(at) = random()
	return length(goReady)
}

// Words of struct ring_state, and of the head of the memory.
func positions(s shared) {
	for {
		for i := word(0); i < s.n*8; i++ {
			*u64(s.states + i*8) = random()
		}
		for at := word(0); at < chunk; at += 8 {
			if at != 8 { // whether gotap is alive, and records
				*u64(s.base + at) = random()
			}
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// Words that change while gotap reads them.
func torn(s shared) {
	all := s.base + s.size - s.chunks
	go func() {
		for {
			*u64(s.chunks + word(rand.Int63())%all&^7) = random()
			*u8(s.chunks + word(rand.Int63())%all&^7 + 4) = byte(rand.Intn(128))
		}
	}()
	of(first, userLog, stack, goCreate)(s)
}

// The first record of the first ring is never finished; the others are full.
func stuck(s shared) {
	r := s.ring(0)
	put(r.data, goStart, 1, 1, 0)
	*u8(r.data + 12) |= busy
	*u64(r.state) = uint64(r.size/8) << 32
	flood(s, func(at word) word {
		id++
		put(at, userLog, first(), id, 0)
		if at == r.data {
			*u8(at + 12) |= busy
		}
		return length(userLog)
	})
}

var lying atomic.Bool

// work switches goroutines until the program lies.
func work() {
	c := make(chan int)
	go func() {
		for {
			c <- 1
		}
	}()
	for range c {
		time.Sleep(200 * time.Microsecond)
		if lying.Load() {
			return
		}
	}
}

func main() {
	lie := lies[strings.Join(os.Args[1:], "")]
	if lie == nil {
		for name := range lies {
			fmt.Println(name)
		}
		os.Exit(2)
	}
	go work()
	go work()
	fmt.Println("ready")
	s := await()
	runtime.LockOSThread()
	lying.Store(true)
	fmt.Println("lies")
	lie(s)
}
