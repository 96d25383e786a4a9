// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"
)

type line struct {
	SKU    string `json:"sku"`
	Amount int    `json:"amount"`
	Price  int    `json:"price"`
}

type order struct {
	ID       int `json:"id"`
	Customer struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"customer"`
	Currency string `json:"currency"`
	Lines    []line `json:"lines"`
	Express  bool   `json:"express"`
	Note     string `json:"note"`
}

type sum struct {
	line
	Sum int `json:"sum"`
}

type confirmation struct {
	ID       int       `json:"id"`
	To       string    `json:"to"`
	At       time.Time `json:"at"`
	Lines    []sum     `json:"lines"`
	Total    int       `json:"total"`
	Currency string    `json:"currency"`
}

// confirm decodes an order, and encodes its confirmation.
func confirm(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c := confirmation{ID: o.ID, To: o.Customer.Name + " <" + o.Customer.Email + ">", At: time.Now(), Currency: o.Currency}
	for _, l := range o.Lines {
		c.Lines = append(c.Lines, sum{l, l.Amount * l.Price})
		c.Total += l.Amount * l.Price
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(c)
}

// selfSigned is a certificate of this run, for this machine.
func selfSigned() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serveTLS: a server for others to load, which takes orders; an operation is one of its own.
func serveTLS() worker {
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{selfSigned()}})
	if err != nil {
		panic(err)
	}
	address = l.Addr().String()
	quiet := log.New(io.Discard, "", 0) // of connections that end in the middle
	go (&http.Server{Handler: http.HandlerFunc(confirm), ErrorLog: quiet}).Serve(l)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	body, _ := json.Marshal(order{Lines: []line{{"GO-1.27", 2, 1999}}})
	return func(n int) {
		for i := 0; i < n; i++ {
			answer, err := client.Post("https://"+address, "application/json", bytes.NewReader(body))
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
}
