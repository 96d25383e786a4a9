// SPDX-License-Identifier: Apache-2.0

// measured counts itself, by runtime/metrics, and answers on a Unix socket: /metrics with these numbers as JSON, /work
// after it has done what the query says: gc=N collections, stops=N of runtime.ReadMemStats, goroutines=N, syscalls=N,
// assists=N MiB of garbage, waits=D of goroutines that compute on one P.
//
//	measured SOCKET
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var sink [64][]byte

type histogram struct {
	Counts  []uint64  `json:"counts"`
	Buckets []float64 `json:"buckets"`
}

// all has every metric of the families that gotap has, too.
func all() map[string]any {
	var samples []metrics.Sample
	for _, d := range metrics.All() {
		for _, family := range []string{"/sched/", "/gc/cycles/", "/cpu/classes/gc/"} {
			if strings.HasPrefix(d.Name, family) {
				samples = append(samples, metrics.Sample{Name: d.Name})
			}
		}
	}
	metrics.Read(samples)
	ret := map[string]any{}
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			ret[s.Name] = s.Value.Uint64()
		case metrics.KindFloat64:
			ret[s.Name] = s.Value.Float64()
		case metrics.KindFloat64Histogram:
			h := s.Value.Float64Histogram()
			// JSON knows no infinity.
			last := append([]float64{}, h.Buckets...)
			for i, b := range last {
				last[i] = math.Max(-1e9, math.Min(1e9, b))
			}
			ret[s.Name] = histogram{h.Counts, last}
		}
	}
	return ret
}

func answer(w http.ResponseWriter, r *http.Request) {
	if err := json.NewEncoder(w).Encode(all()); err != nil {
		fmt.Fprintln(os.Stderr, "measured:", err)
	}
}

func each(n int, f func()) {
	for i := 0; i < n; i++ {
		f()
	}
}

func collect(n int) { each(n, runtime.GC) }

func stop(n int) {
	var stats runtime.MemStats
	each(n, func() { runtime.ReadMemStats(&stats) })
}

func create(n int) {
	var done sync.WaitGroup
	done.Add(n)
	each(n, func() { go done.Done() })
	done.Wait()
}

func call(n int) {
	var room [1]byte
	zero, err := syscall.Open("/dev/zero", syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	each(n, func() { syscall.Read(zero, room[:]) })
	syscall.Close(zero)
}

func allocate(mib int) {
	old := debug.SetGCPercent(5)
	each(mib<<4, func() { sink[mib%64] = make([]byte, 64<<10) })
	debug.SetGCPercent(old)
}

// Four goroutines compute on one P: each waits while the others do.
func compute(ms int) {
	old := runtime.GOMAXPROCS(1)
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go func() {
			for time.Now().Before(until) {
			}
			done.Done()
		}()
	}
	done.Wait()
	runtime.GOMAXPROCS(old)
}

func work(w http.ResponseWriter, r *http.Request) {
	for name, f := range map[string]func(int){
		"gc": collect, "stops": stop, "goroutines": create, "syscalls": call, "assists": allocate, "waits": compute,
	} {
		if n, _ := strconv.Atoi(r.FormValue(name)); n > 0 {
			f(n)
		}
	}
	answer(w, r)
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "measured:", err)
		os.Exit(1)
	}
	debug.SetGCPercent(-1)
	http.HandleFunc("/metrics", answer)
	http.HandleFunc("/work", work)
	fmt.Println("ready")
	http.Serve(listener, nil)
}
