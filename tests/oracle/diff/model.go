// SPDX-License-Identifier: Apache-2.0

package main

// A state is one of a goroutine or, from procRunning on, of a P.
type state uint8

const (
	goNotExist state = iota
	goRunnable
	goRunning
	goWaiting
	goSyscall
	procRunning
	procIdle
	nStates
)

// A kind is what happened, named by the wire event that has this effect alone.
type kind uint8

var kindNames = []string{
	"?", "GoCreate", "GoCreateBlocked", "GoCreateSyscall", "GoStart", "GoDestroy", "GoDestroySyscall", "GoStop",
	"GoBlock", "GoUnblock", "GoSyscallBegin", "GoSyscallEnd", "GoSyscallEndBlocked", "ProcStart", "ProcStop",
}

const (
	other kind = iota
	goCreate
	goCreateBlocked
	goCreateSyscall
	goStart
	goDestroy
	goDestroySyscall
	goStop
	goBlock
	goUnblock
	goSyscallBegin
	goSyscallEnd
	goSyscallEndBlocked
	procStart
	procStop
	nKinds
)

var kindOf = [nStates][nStates]kind{
	goNotExist:  {goRunnable: goCreate, goWaiting: goCreateBlocked, goSyscall: goCreateSyscall},
	goRunnable:  {goRunning: goStart},
	goRunning:   {goNotExist: goDestroy, goRunnable: goStop, goWaiting: goBlock, goSyscall: goSyscallBegin},
	goWaiting:   {goRunnable: goUnblock},
	goSyscall:   {goRunning: goSyscallEnd, goRunnable: goSyscallEndBlocked, goNotExist: goDestroySyscall},
	procIdle:    {procRunning: procStart},
	procRunning: {procIdle: procStop},
}

func (k kind) String() string { return kindNames[k] }

// A stackID names a stack of either trace; equal stacks have equal ids, 0 is no stack.
type stackID int32

// A step is one state transition of one goroutine or P.
type step struct {
	at     int64 // ns
	late   int64 // ns: at most so much later than the event it is, because of the reader (load.go)
	kind   kind
	reason string
	value  uint32  // of an event that is no state transition: a hash of its arguments
	stack  stackID // of whoever caused the step
	entry  stackID // of a new goroutine: where it starts
	thread int64
	proc   int64
}

// A resource is a goroutine or a P.
type resource struct {
	isProc bool
	id     int64
}

// An extraKey names one sequence of what a trace has besides transitions (extras.go).
type extraKey struct {
	name string
	res  resource
}

// A history is one trace, taken apart.
type history struct {
	path       string
	start, end int64
	steps      map[resource][]step
	names      map[int64]string // root function of a goroutine
	known      map[int64]bool   // every goroutine that is ever mentioned
	extras     map[extraKey][]step
}

func newHistory(path string) *history {
	return &history{
		path:   path,
		steps:  make(map[resource][]step),
		names:  make(map[int64]string),
		known:  make(map[int64]bool),
		extras: make(map[extraKey][]step),
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
