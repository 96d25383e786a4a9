// SPDX-License-Identifier: Apache-2.0

// calls is a gRPC server with its own clients, for tests/grpc.bats: unary methods and all kinds of streams, which end in all
// ways in which calls end, over gRPC's own HTTP/2 and through net/http. A stats.Handler of package grpc counts those that
// are served, and the streams that are opened; an interceptor counts the unary calls that are made, as a stats.Handler does
// not see one that the deadline ends before package grpc looks for a connection. The program prints at its end
//
//	served TRANSPORT METHOD CODE COUNT
//	called METHOD CODE COUNT
//	median SIDE METHOD NANOSECONDS
//
// Arguments: how many calls of each kind, the milliseconds to wait before the first, and the number of workers (0: none).
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// --- messages are bytes, so that no code has to be generated ---

type raw struct{}

func (raw) Marshal(v interface{}) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v interface{}) error { *v.(*[]byte) = append([]byte(nil), data...); return nil }
func (raw) Name() string                               { return "raw" }

// --- the counts ---

type kind struct{ side, method, code string }

var (
	mu    sync.Mutex
	ended = map[kind]int{}
	took  = map[[2]string][]time.Duration{}
)

func count(side, method string, err error) {
	mu.Lock()
	defer mu.Unlock()
	ended[kind{side, method, status.Code(err).String()}]++
}

func countUnary(ctx context.Context, method string, in, out interface{}, c *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, in, out, c, opts...)
	count("called", method, err)
	return err
}

// counter has all calls of a side; all: it counts those that are unary, too.
type counter struct {
	side string
	all  bool
}
type methodKey struct{}

func (c counter) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodKey{}, info.FullMethodName)
}
func (c counter) TagConn(ctx context.Context, info *stats.ConnTagInfo) context.Context { return ctx }
func (c counter) HandleConn(ctx context.Context, s stats.ConnStats)                    {}
func (c counter) HandleRPC(ctx context.Context, s stats.RPCStats) {
	e, ok := s.(*stats.End)
	if !ok {
		return
	}
	method, _ := ctx.Value(methodKey{}).(string)
	if c.all || isStream(method) {
		count(c.side, method, e.Error)
	}
	mu.Lock()
	defer mu.Unlock()
	key := [2]string{c.side, method}
	took[key] = append(took[key], e.EndTime.Sub(e.BeginTime))
}

// --- the service ---

type server struct{ next func() *grpc.ClientConn }

func (s *server) unary(ctx context.Context, name string) error {
	switch name {
	case "Fails":
		return status.Error(codes.NotFound, "no such \"thing\"")
	case "Plain":
		return errors.New("a plain error")
	case "Late":
		<-ctx.Done()
		return ctx.Err()
	case "Panics":
		panic("x")
	case "Exits":
		runtime.Goexit()
	case "Chain":
		var in, out []byte
		return s.next().Invoke(ctx, "/test.Calls/Fine", &in, &out)
	}
	return nil
}

func (s *server) stream(name string, ss grpc.ServerStream) error {
	var m []byte
	for {
		if err := ss.RecvMsg(&m); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if name == "Both" || name == "Cancelled" {
			if err := ss.SendMsg(&m); err != nil {
				return err
			}
		}
	}
	for i := 0; i < 3 && (name == "Down" || name == "Breaks"); i++ {
		if err := ss.SendMsg(&m); err != nil {
			return err
		}
	}
	switch name {
	case "Breaks":
		return status.Error(codes.Aborted, "broken")
	case "Up":
		return ss.SendMsg(&m)
	}
	return nil
}

var unaries = []string{"Fine", "Fails", "Plain", "Late", "Panics", "Exits", "Chain"}
var streams = []string{"Down", "Up", "Both", "Breaks", "Cancelled"}

func isStream(method string) bool {
	for _, name := range append(streams, "GoneStream") {
		if method == "/test.Calls/"+name {
			return true
		}
	}
	return false
}

type calls interface{}

func description(s *server) *grpc.ServiceDesc {
	d := &grpc.ServiceDesc{ServiceName: "test.Calls", HandlerType: (*calls)(nil)}
	for _, name := range unaries {
		name := name
		d.Methods = append(d.Methods, grpc.MethodDesc{MethodName: name, Handler: func(srv interface{}, ctx context.Context, dec func(interface{}) error, in grpc.UnaryServerInterceptor) (interface{}, error) {
			var m []byte
			if err := dec(&m); err != nil {
				return nil, err
			}
			info := &grpc.UnaryServerInfo{Server: srv, FullMethod: "/test.Calls/" + name}
			return in(ctx, &m, info, func(ctx context.Context, m interface{}) (interface{}, error) { return m, s.unary(ctx, name) })
		}})
	}
	for _, name := range streams {
		name := name
		d.Streams = append(d.Streams, grpc.StreamDesc{StreamName: name, ClientStreams: name != "Down" && name != "Breaks", ServerStreams: name != "Up",
			Handler: func(srv interface{}, ss grpc.ServerStream) error { return s.stream(name, ss) }})
	}
	return d
}

func recovers(ctx context.Context, m interface{}, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (r interface{}, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = status.Errorf(codes.Internal, "panic: %v", p)
		}
	}()
	return h(ctx, m)
}

// --- the client ---

func call(c *grpc.ClientConn, method string, opts ...grpc.CallOption) {
	ctx, cancel := context.WithTimeout(context.Background(), limit(method))
	defer cancel()
	if method == "/test.Calls/Early" {
		cancel()
	}
	in, out := []byte("hello"), []byte(nil)
	c.Invoke(ctx, method, &in, &out, opts...)
}

// limit is short for a method that does not answer.
func limit(method string) time.Duration {
	if method == "/test.Calls/Late" || method == "/test.Calls/Exits" || method == "/test.Calls/Waits" {
		return 5 * time.Millisecond
	}
	return 10 * time.Second
}

func exchange(c *grpc.ClientConn, d grpc.StreamDesc, opts ...grpc.CallOption) {
	d.Handler = nil
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cs, err := c.NewStream(ctx, &d, "/test.Calls/"+d.StreamName, opts...)
	if err != nil {
		return
	}
	m := []byte("hello")
	for i := 0; i < 3 && (i == 0 || d.ClientStreams); i++ {
		if cs.SendMsg(&m) != nil {
			break
		}
		if d.ClientStreams && d.ServerStreams {
			cs.RecvMsg(&m)
		}
		if d.StreamName == "Cancelled" {
			cancel()
		}
	}
	cs.CloseSend()
	for cs.RecvMsg(&m) == nil && d.ServerStreams {
	}
}

func dial(address string, opts ...grpc.DialOption) *grpc.ClientConn {
	opts = append(opts, grpc.WithStatsHandler(counter{side: "called"}), grpc.WithUnaryInterceptor(countUnary), grpc.WithDefaultCallOptions(grpc.CallContentSubtype("raw")))
	c, err := grpc.Dial(address, opts...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return l
}

func round(c *grpc.ClientConn, d *grpc.ServiceDesc) {
	for _, name := range unaries {
		call(c, "/test.Calls/"+name)
	}
	call(c, "/test.Calls/None")
	call(c, "/test.None/None")
	call(c, "/test.Calls/Early")
	call(c, "/test.Calls/Fine", grpc.PerRPCCredentials(within{c, 2}))
	for _, s := range d.Streams {
		exchange(c, s)
	}
}

// within makes calls in the goroutine of a call that begins, as credentials that fetch a token may.
type within struct {
	c     *grpc.ClientConn
	depth int
}

func (w within) RequireTransportSecurity() bool { return false }
func (w within) GetRequestMetadata(ctx context.Context, uri ...string) (map[string]string, error) {
	if w.depth > 0 {
		call(w.c, "/test.Calls/Fine", grpc.PerRPCCredentials(within{w.c, w.depth - 1}))
	}
	call(w.c, "/test.Calls/Early")
	return nil, nil
}

// down calls a server that is not there.
func down(c *grpc.ClientConn) {
	call(c, "/test.Calls/Gone")
	call(c, "/test.Calls/Waits", waits)
	exchange(c, grpc.StreamDesc{StreamName: "GoneStream", ServerStreams: true})
}

// through net/http, with HTTP/2 and TLS.
func overHTTP(s *grpc.Server) *httptest.Server {
	h := httptest.NewUnstartedServer(http.HandlerFunc(s.ServeHTTP))
	h.Config.ErrorLog = log.New(ioutil.Discard, "", 0)
	h.TLS = &tls.Config{NextProtos: []string{"h2"}}
	h.EnableHTTP2 = true
	h.StartTLS()
	return h
}

func printAll() {
	var lines []string
	for k, n := range ended {
		lines = append(lines, fmt.Sprintln(k.side, k.method, k.code, n))
	}
	for k, d := range took {
		sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
		lines = append(lines, fmt.Sprintln("median", k[0], k[1], d[len(d)/2].Nanoseconds()))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Print(line)
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	wait, _ := strconv.Atoi(os.Args[2])
	workers, _ := strconv.Atoi(os.Args[3])
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(ioutil.Discard, ioutil.Discard, ioutil.Discard))
	encoding.RegisterCodec(raw{})

	var self *grpc.ClientConn
	desc := description(&server{next: func() *grpc.ClientConn { return self }})
	options := append(serverOptions(workers), grpc.UnaryInterceptor(recovers))
	own := grpc.NewServer(append(options, grpc.StatsHandler(counter{"served own", true}))...)
	other := grpc.NewServer(append(options, grpc.StatsHandler(counter{"served http", true}))...)
	own.RegisterService(desc, &server{})
	other.RegisterService(desc, &server{})
	l := listen()
	go own.Serve(l)
	self = dial(l.Addr().String(), grpc.WithInsecure())
	web := overHTTP(other)
	second := dial(web.Listener.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})))
	nobody := listen()
	nobody.Close()
	gone := dial(nobody.Addr().String(), grpc.WithInsecure())

	fmt.Println("ready")
	time.Sleep(time.Duration(wait) * time.Millisecond)
	for i := 0; i < n; i++ {
		round(self, desc)
		round(second, desc)
		down(gone)
	}
	// Each returns when the last handler has: a call may end for its caller before it is served.
	for _, c := range []*grpc.ClientConn{self, second, gone} {
		c.Close()
	}
	own.GracefulStop()
	web.Close()
	mu.Lock()
	defer mu.Unlock()
	printAll()
}
