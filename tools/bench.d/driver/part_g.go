// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Part g: what a trace says, beside `go tool trace` until its first page is there, on the same file. Only ratios: a
// page and a report are not the same thing.

// peakOf is the largest memory that a process had, in MiB.
func peakOf(pid int) (mib float64) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if kib, found := strings.CutPrefix(s.Text(), "VmHWM:"); found {
			fmt.Sscan(kib, &mib)
		}
	}
	return mib / 1024
}

func answers(url string) bool {
	page, err := http.Get(url)
	if err != nil {
		return false
	}
	defer page.Body.Close()
	io.Copy(io.Discard, page.Body)
	return page.StatusCode == http.StatusOK
}

// firstPage is what `go tool trace` has used when it answers for the first time.
func (b *bench) firstPage(path string) (u usage, err error) {
	port, err := freePort()
	if err != nil {
		return u, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	cmd := exec.Command(b.tool("gotrace"), "-http="+address, path)
	cmd.Env = append(os.Environ(), "BROWSER=true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return u, err
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	for end := time.Now().Add(10 * time.Minute); !answers("http://" + address + "/goroutines"); {
		if time.Now().After(end) {
			return u, fmt.Errorf("go tool trace does not answer")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return usage{processCPU(cmd.Process.Pid), peakOf(cmd.Process.Pid)}, nil
}

var answerCommands = [][]string{
	{"report", "TRACE"},
	{"report", "--json", "TRACE"},
	{"pprof", "--type", "sync", "-o", "/dev/null", "TRACE"},
	{"why", "TRACE"},
}

func partAnswers(b *bench) error {
	t := &table{
		name:  "g1",
		title: "What a trace says, by gotap, and `go tool trace` until its first page:",
		head:  []string{"trace", "gotap", "millions of events per CPU second", "times as fast as go tool trace", "peak MiB", "of go tool trace's memory"},
	}
	f, err := recordFile(b, "flood", gotapTracer("gotap"), "gotap.trace", 0)
	if err != nil {
		return err
	}
	page, err := b.firstPage(f.path)
	if err != nil {
		return err
	}
	for _, args := range answerCommands {
		var rate, faster, peak, part values
		for i := 0; i < b.repeats; i++ {
			u, err := b.usageOf(0, f.command(b.gotap, args))
			if err != nil {
				return err
			}
			rate, faster = append(rate, f.events/u.cpu*1e3), append(faster, page.cpu/u.cpu)
			peak, part = append(peak, u.peak), append(part, page.peak/u.peak)
		}
		t.add(f.name, strings.Join(args[:len(args)-1], " "), rate.text("%.1f"), faster.text("%.0f"),
			fmt.Sprintf("%.1f", peak.median()), fmt.Sprintf("1/%.0f", part.median()))
	}
	t.footer = fmt.Sprintf("CPU time and memory of whole processes, on the same file: %s of %.1f million events, for whose "+
		"first page go tool trace takes %.0f s of CPU and %.0f MiB.", sizeOf(f.path), f.events/1e6, page.cpu/1e9, page.peak)
	b.show(t)
	return nil
}
