// Package world has the servers of a case: a token endpoint, a service and a shared store, whose responses a test can set,
// script and hold back.
package world

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering/tests/runner/rule"
)

// patience bounds every wait for an event.
const patience = 2 * time.Minute

// closed is a URL at which nothing listens: only root could do so.
const closed = "http://127.0.0.1:2"

// World is the servers of one case, or of scripted cases one after the other.
type World struct {
	// Servers are auth, a token endpoint, which gives a token after the other for an hour each; service, other and tls, which has
	// an unknown certificate; these respond with what came; and store.
	Servers map[string]*Server
	Store   *Store
	Script  *Script
	// CacheKey is the cache key of the default config.
	CacheKey string
	// Patience bounds every wait for an event.
	Patience time.Duration
	// Folder is an empty folder that ends with the world.
	Folder func() (string, error)

	name    string       // which no other world has, and with which a key of a store may begin
	given   atomic.Int64 // tokens
	refused atomic.Int64 // the last token that is
	ends    []func()
}

var worlds atomic.Int64

// New starts the servers on free ports of the loopback interface.
func New() *World { return start(nil) }

func start(over *tls.Config) *World {
	w := &World{Patience: patience, name: fmt.Sprintf("rostering:%d:%d", os.Getpid(), worlds.Add(1))}
	auth, service := newServer(w.giveToken, over), newServer(w.serve, over)
	w.Store = newStore(over)
	w.Servers = map[string]*Server{
		"auth": auth, "service": service, "other": newServer(w.echo, over), "store": w.Store.Server,
		"tls": newServer(w.echo, &tls.Config{}),
	}
	w.CacheKey = "rostering:" + url.QueryEscape(auth.URL+"/connect/token") + ":client-1:automatic-rostering-stage"
	w.Script = &Script{cacheKey: w.CacheKey}
	auth.script, auth.kind = w.Script, "token"
	service.script, service.kind = w.Script, "jobs"
	w.Folder = sync.OnceValues(func() (string, error) {
		folder, err := os.MkdirTemp("", "rules")
		w.ends = append(w.ends, func() { _ = os.RemoveAll(folder) })
		return folder, err
	})
	return w
}

// Close ends the servers.
func (w *World) Close() {
	for _, s := range w.Servers {
		s.close()
	}
	for _, end := range w.ends {
		end()
	}
}

// Fill returns a case for these servers.
func (w *World) Fill(c *rule.Case) (*rule.Case, error) {
	auth, service := w.Servers["auth"].URL, w.Servers["service"].URL
	all := map[string]string{
		"auth": auth, "service": service, "other": w.Servers["other"].URL, "tls": w.Servers["tls"].URL, "closed": closed,
		"auth.host": strings.TrimPrefix(auth, "http://"), "service.host": strings.TrimPrefix(service, "http://"),
		"auth.escaped": url.QueryEscape(auth), "cache_key": w.CacheKey, "key": w.name,
		"secret": rule.Secret, "secret.escaped": url.QueryEscape(rule.Secret),
		"token.escaped": url.QueryEscape(rule.TokenPrefix),
	}
	return c.Fill(all)
}

// Config is the default config.
func (w *World) Config() map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": w.Servers["auth"].URL, "base_url": w.Servers["service"].URL, "client_id": "client-1",
		"client_secret": rule.Secret, "customer_id": "customer-1", "user_id": "user-1",
	}
}

// Revoke has the service refuse all tokens that were given so far.
func (w *World) Revoke() { w.refused.Store(w.given.Load()) }

func token(n int64) string { return fmt.Sprintf("%s%04d", rule.TokenPrefix, n) }

func (w *World) giveToken(to http.ResponseWriter, _ *http.Request, _ []byte) {
	_ = json.NewEncoder(to).Encode(map[string]any{
		"access_token": token(w.given.Add(1)), "token_type": "Bearer", "expires_in": 3600,
	})
}

func (w *World) serve(to http.ResponseWriter, r *http.Request, body []byte) {
	number := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "+rule.TokenPrefix)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n <= w.refused.Load() {
		to.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.echo(to, r, body)
}

// echo responds with what came.
func (w *World) echo(to http.ResponseWriter, r *http.Request, body []byte) {
	used := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	said := map[string]any{
		"method": r.Method, "path": r.RequestURI, "bytes": len(body), "token": used, "fresh": used == token(w.given.Load()),
	}
	for name, values := range r.Header {
		switch field := strings.ReplaceAll(strings.ToLower(name), "-", "_"); field {
		case "customer_id", "user_id", "user_agent", "content_type":
			said[field] = strings.Join(values, ", ")
		}
	}
	if len(body) < 1000 {
		said["body"] = string(body)
	}
	to.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(to).Encode(said)
}
