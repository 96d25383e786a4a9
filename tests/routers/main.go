// SPDX-License-Identifier: Apache-2.0

// routers has a server for each of several routers, all with the handler of an item behind a middleware that passes on a
// copy of the request. Its packages are Debian's. Argument: how many requests each server gets.
package main

import (
	"context"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"github.com/go-chi/chi"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
)

type key struct{}

// more has the servers of other files.
var more = map[string]http.Handler{}

// copies is the middleware.
func copies(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
	})
}

func muxItem(w http.ResponseWriter, r *http.Request)     { io.WriteString(w, "mux") }
func chiItem(w http.ResponseWriter, r *http.Request)     { io.WriteString(w, "chi") }
func gorillaItem(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) }
func routerItem(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	fmt.Fprintf(w, "router %s", r.URL.Path)
}

// store is a handler that is a type, with one method for all.
type store struct{ n int }

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.Error(w, "store", 404) }

// items is a method that is a value.
type items struct{ n int }

func (i *items) list(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "list") }

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	log.SetOutput(ioutil.Discard)
	servers := map[string]http.Handler{}
	m := http.NewServeMux()
	m.HandleFunc("/mux/", muxItem)
	m.HandleFunc("/list/", (&items{1}).list)
	servers["mux"], servers["list"] = m, m
	c := chi.NewRouter()
	c.Get("/chi/{id}", chiItem)
	servers["chi"] = c
	g := mux.NewRouter()
	g.HandleFunc("/gorilla/{id}", gorillaItem)
	servers["gorilla"] = g
	for name, h := range more {
		servers[name] = h
	}
	r := httprouter.New()
	r.GET("/router/:id", routerItem)
	servers["router"] = r
	servers["store"] = &store{1}
	for name, h := range servers {
		s := httptest.NewServer(copies(h))
		for i := 0; i < n; i++ {
			if resp, err := http.Get(s.URL + "/" + name + "/" + strconv.Itoa(i)); err == nil {
				io.Copy(ioutil.Discard, resp.Body)
				resp.Body.Close()
			}
		}
		s.Close()
	}
}
