// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// tracer is a way to trace a process. start returns when it is in place; the function that it gives takes it away.
type tracer struct {
	name  string
	start func(b *bench, t target) (stop func() (recording, error), err error)
}

// recording is what a tracer says at its end; what it does not know is 0.
type recording struct {
	Records, Bytes, Lost, Generations, Seconds float64
	Events                                     map[string]float64
	Unrecorded                                 float64 `json:"unrecorded_seconds"`
	Repairs                                    float64 `json:"repairs_total"`
	Inline                                     struct{ State, Why string }
	cpu, wall                                  time.Duration
	maxRSS                                     float64 // bytes
}

func (r recording) events() float64 {
	var n float64
	for _, count := range r.Events {
		n += count
	}
	return n
}

func floorTracer(events string) tracer {
	return tracer{"empty probes", func(b *bench, t target) (func() (recording, error), error) {
		c, err := startChild(nil, b.tool("floor"), fmt.Sprint(t.pid()), events)
		if err == nil {
			err = c.expect("ready")
		}
		return func() (recording, error) {
			c.finish()
			return recording{}, nil
		}, err
	}}
}

func gotapTracer(name string, args ...string) tracer {
	return tracer{name, func(b *bench, t target) (func() (recording, error), error) {
		return startGotap(b, t.pid(), filepath.Join(b.scratch, "gotap.trace"), args...)
	}}
}

const againstName = "--against"

// other is the same bench with the other gotap.
func (b *bench) other() *bench {
	o := *b
	o.gotap = b.against
	return &o
}

var againstTracer = tracer{againstName, func(b *bench, t target) (func() (recording, error), error) {
	return startGotap(b.other(), t.pid(), filepath.Join(b.scratch, "against.trace"))
}}

// begun: the unfinished trace has its header, under the name that this version of gotap gives it.
func begun(path string) bool {
	for _, name := range []string{path + ".partial", path} {
		if st, err := os.Stat(name); err == nil && st.Size() > 0 {
			return true
		}
	}
	return false
}

// startGotap returns when the probes are in place, which is when the unfinished trace has its header.
func startGotap(b *bench, pid int, path string, args ...string) (func() (recording, error), error) {
	var report bytes.Buffer
	args = append([]string{"record", "-p", fmt.Sprint(pid), "-o", path, "--json", "--budget", "none"}, args...)
	cmd := exec.Command(b.gotap, args...)
	cmd.Stderr = &report
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	os.Remove(path)
	os.Remove(path + ".partial")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err := waitFor("gotap record", func() bool {
		return begun(path) || !alive(cmd.Process.Pid)
	})
	if err == nil && !alive(cmd.Process.Pid) {
		cmd.Wait()
		err = fmt.Errorf("gotap record: %s", report.String())
	}
	return func() (recording, error) {
		start := time.Now()
		cmd.Process.Signal(os.Interrupt)
		err := cmd.Wait()
		return readReport(cmd, report.String(), time.Since(start), err)
	}, err
}

// alive: is it there and no zombie?
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return fields[0] != "Z"
}

func readReport(cmd *exec.Cmd, report string, wall time.Duration, err error) (recording, error) {
	var r recording
	if err == nil {
		err = json.Unmarshal([]byte(report), &r)
	}
	if err != nil {
		return r, fmt.Errorf("gotap: %w: %s", err, report)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.wall = wall
	r.maxRSS = float64(usage.Maxrss) * 1024
	return r, nil
}

var ownTracer = tracer{"runtime/trace", func(b *bench, t target) (func() (recording, error), error) {
	path := filepath.Join(b.scratch, "own.trace")
	if !t.ownTrace(path) {
		return nil, nil
	}
	return func() (recording, error) {
		t.endOwnTrace()
		st, err := os.Stat(path)
		if err != nil {
			return recording{}, err
		}
		return recording{Bytes: float64(st.Size())}, nil
	}, nil
}}

// runGotap runs another command of gotap to its end.
func runGotap(b *bench, args ...string) (recording, error) {
	var report bytes.Buffer
	cmd := exec.Command(b.gotap, args...)
	cmd.Stderr = &report
	start := time.Now()
	err := cmd.Run()
	return readReport(cmd, report.String(), time.Since(start), err)
}
