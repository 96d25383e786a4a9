// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tracer is a way to trace a process. start returns when it is in place; nil where the target does not have it.
type tracer struct {
	name  string
	start func(b *bench, t target) (running, error)
}

// running is a tracer at work.
type running interface {
	cpu() float64 // that its processes have used so far, ns
	stop() (recording, error)
}

// recording is what a tracer says at its end; what it does not know is 0.
type recording struct {
	Records, Bytes, Lost, Generations, Seconds float64
	Allocs                                     float64
	Events                                     map[string]float64
	Unrecorded                                 float64                  `json:"unrecorded_seconds"`
	Repairs                                    float64                  `json:"repairs_total"`
	Steps                                      []struct{ Level string } `json:"budget_steps"`
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

// helper is a tracer of which only the program's side counts.
type helper func() (recording, error)

func (h helper) cpu() float64             { return 0 }
func (h helper) stop() (recording, error) { return h() }

func floorTracer(events string) tracer {
	return tracer{floorName, func(b *bench, t target) (running, error) {
		c, err := startChild(nil, b.tool("floor"), fmt.Sprint(t.pid()), events)
		if err == nil {
			err = c.expect("ready")
		}
		return helper(func() (recording, error) {
			c.finish()
			return recording{}, nil
		}), err
	}}
}

func gotapTracer(name string, args ...string) tracer {
	return tracer{name, func(b *bench, t target) (running, error) {
		return startRecord(b, t.pid(), filepath.Join(b.scratch, "gotap.trace"), append(noBudget(), args...)...)
	}}
}

const againstName = "--against"

// other is the same bench with the other gotap.
func (b *bench) other() *bench {
	o := *b
	o.gotap = b.against
	return &o
}

// against is the same tracer with the other gotap.
func against(tr tracer, name string) tracer {
	return tracer{name, func(b *bench, t target) (running, error) { return tr.start(b.other(), t) }}
}

// noBudget: where nothing is to be left out, whatever the probes cost.
func noBudget() []string { return []string{"--budget", "none"} }

// gotapRun is a recording that goes on.
type gotapRun struct {
	cmd    *exec.Cmd
	report bytes.Buffer
}

// children of all threads of a process.
func children(pid int) (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(child); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// cpu of gotap and its helpers, which are children of it.
func (g *gotapRun) cpu() float64 {
	ns := processCPU(g.cmd.Process.Pid)
	for _, child := range children(g.cmd.Process.Pid) {
		ns += processCPU(child)
	}
	return ns
}

func (g *gotapRun) alive() bool { return alive(g.cmd.Process.Pid) }

func (g *gotapRun) stop() (recording, error) {
	start := time.Now()
	g.cmd.Process.Signal(os.Interrupt)
	err := g.cmd.Wait()
	return readReport(g.cmd, g.report.String(), time.Since(start), err)
}

// launch starts gotap record, and returns when it is ready.
func launch(b *bench, pid int, path string, ready func() bool, args ...string) (*gotapRun, error) {
	g := &gotapRun{}
	g.cmd = exec.Command(b.gotap, append([]string{"record", "-p", fmt.Sprint(pid), "-o", path, "--json"}, args...)...)
	g.cmd.Stderr = &g.report
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	err := waitFor("gotap record", func() bool { return ready() || !g.alive() })
	if err != nil || !g.alive() {
		_, failed := g.stop()
		return nil, errors.Join(err, failed, errors.New("the recording did not last"))
	}
	return g, nil
}

// begun: the unfinished trace has its header, under the name that this version of gotap gives it.
func begun(path string) bool {
	for _, name := range []string{path + ".partial", path} {
		if st, err := os.Stat(name); err == nil && st.Size() > 0 {
			return true
		}
	}
	return false
}

// startRecord returns when the probes are in place, which is when the unfinished trace has its header.
func startRecord(b *bench, pid int, path string, args ...string) (*gotapRun, error) {
	os.Remove(path)
	os.Remove(path + ".partial")
	return launch(b, pid, path, func() bool { return begun(path) }, args...)
}

// startGotap is a recording that leaves nothing out; the function ends it.
func startGotap(b *bench, pid int, path string, args ...string) (func() (recording, error), error) {
	g, err := startRecord(b, pid, path, append(noBudget(), args...)...)
	if err != nil {
		return nil, err
	}
	return g.stop, nil
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

var ownTracer = tracer{ownName, func(b *bench, t target) (running, error) {
	path := filepath.Join(b.scratch, "own.trace")
	if !t.ownTrace(path) {
		return nil, nil
	}
	return helper(func() (recording, error) {
		t.endOwnTrace()
		st, err := os.Stat(path)
		if err != nil {
			return recording{}, err
		}
		return recording{Bytes: float64(st.Size())}, nil
	}), nil
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
