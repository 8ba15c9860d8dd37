package main

import (
	"context"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/memcache"
	"google.golang.org/appengine/v2/search"
	"google.golang.org/appengine/v2/taskqueue"
)

const (
	app            = "bench-app"
	cacheKeys      = 1_000
	valueBytes     = 1_000
	tasksPerCall   = 100
	docsPerCall    = 100
	drainedWithin  = 2 * time.Minute
	drainedQueue   = "drain"
	collectedQueue = "default"
)

// appEngine is an app whose SDK calls the server at API_HOST and API_PORT, and which serves its tasks at
// APP_PORT.
type appEngine struct {
	ctx     context.Context
	arrived atomic.Int64
}

func newAppEngine(address string) (server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"API_HOST": host, "API_PORT": port, "GAE_ENV": "standard", "GAE_SERVICE": "default", "GAE_VERSION": "v1",
		"GAE_APPLICATION": "s~" + app, "GOOGLE_CLOUD_PROJECT": app,
	} {
		os.Setenv(name, value)
	}
	a := &appEngine{}
	appengine.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		a.ctx = appengine.NewContext(r)
	})).ServeHTTP(httptest.NewRecorder(), incoming())
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("APP_PORT"))
	if err != nil {
		return nil, err
	}
	go http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { a.arrived.Add(1) }))
	return a, nil
}

func incoming() *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Appengine-Api-Ticket", app+"/bench")
	return r
}

func key(client int, number int64) string {
	return fmt.Sprintf("key-%d", (number*31+int64(client)*17)%cacheKeys)
}

var value = []byte(strings.Repeat("v", valueBytes))

func (a *appEngine) prepare(name string, clients int) (operation, error) {
	switch name {
	case "cache-get":
		for k := int64(0); k < cacheKeys; k++ {
			if err := memcache.Set(a.ctx, &memcache.Item{Key: key(0, k), Value: value}); err != nil {
				return nil, err
			}
		}
		return func(client int, number int64) error {
			_, err := memcache.Get(a.ctx, key(client, number))
			return err
		}, nil
	case "cache-set":
		return func(client int, number int64) error {
			return memcache.Set(a.ctx, &memcache.Item{Key: key(client, number), Value: value})
		}, nil
	case "cache-increment":
		return func(client int, number int64) error {
			_, err := memcache.Increment(a.ctx, counter(client), 1, 0)
			return err
		}, nil
	case "queue-add":
		return func(int, int64) error {
			_, err := taskqueue.Add(a.ctx, task(time.Hour), collectedQueue)
			return err
		}, taskqueue.Purge(a.ctx, collectedQueue)
	case "search":
		return a.search, nil
	}
	return nil, unknown(name)
}

func task(delay time.Duration) *taskqueue.Task {
	return &taskqueue.Task{Path: "/task", Method: "POST", Payload: value, Delay: delay}
}

func (a *appEngine) once(name string, size int) (float64, time.Duration, error) {
	switch name {
	case "queue-drain":
		return a.drain(size)
	case "search-put":
		return a.put(size)
	}
	return 0, 0, unknown(name)
}

// drain adds tasks and waits until this app has received that many.
func (a *appEngine) drain(count int) (float64, time.Duration, error) {
	a.arrived.Store(0)
	began := time.Now()
	for from := 0; from < count; from += tasksPerCall {
		tasks := make([]*taskqueue.Task, min(tasksPerCall, count-from))
		for i := range tasks {
			tasks[i] = task(0)
		}
		if _, err := taskqueue.AddMulti(a.ctx, tasks, drainedQueue); err != nil {
			return 0, 0, err
		}
	}
	for a.arrived.Load() < int64(count) {
		if time.Since(began) > drainedWithin {
			return 0, 0, fmt.Errorf("%d of %d tasks arrived in %s", a.arrived.Load(), count, drainedWithin)
		}
		time.Sleep(time.Millisecond)
	}
	return float64(count), time.Since(began), nil
}

type product struct {
	Name     string
	Text     string
	Category search.Atom
	Price    float64
}

const indexName = "products"

var words = strings.Fields(`amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north
	ocean plain quarry ridge stone tidal upland valley water xeric yield zenith brook cliff dune estuary`)

var categories = []string{"garden", "kitchen", "office", "outdoor", "workshop"}

func text(random *rand.Rand, count int) string {
	chosen := make([]string, count)
	for i := range chosen {
		// Squared, because some words are more frequent than others.
		r := random.Float64()
		chosen[i] = words[int(r*r*float64(len(words)))]
	}
	return strings.Join(chosen, " ")
}

func (a *appEngine) put(count int) (float64, time.Duration, error) {
	index, err := search.Open(indexName)
	if err != nil {
		return 0, 0, err
	}
	random := rand.New(rand.NewSource(42))
	began := time.Now()
	for from := 0; from < count; from += docsPerCall {
		ids := make([]string, min(docsPerCall, count-from))
		docs := make([]any, len(ids))
		for i := range ids {
			ids[i] = fmt.Sprintf("p%d", from+i)
			docs[i] = &product{
				Name:     fmt.Sprintf("%s %d", text(random, 3), from+i),
				Text:     text(random, 40),
				Category: search.Atom(categories[random.Intn(len(categories))]),
				Price:    float64(random.Intn(100_000)) / 100,
			}
		}
		if _, err := index.PutMulti(a.ctx, ids, docs); err != nil {
			return 0, 0, err
		}
	}
	return float64(count), time.Since(began), nil
}

// search asks for twenty products by two words, a category and a price.
func (a *appEngine) search(client int, number int64) error {
	index, err := search.Open(indexName)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewSource(int64(client)<<32 + number))
	query := fmt.Sprintf("Text: %s Text: %s Category: %s Price < %d",
		text(random, 1), text(random, 1), categories[random.Intn(len(categories))], 100+random.Intn(900))
	results := index.Search(a.ctx, query, &search.SearchOptions{Limit: 20})
	for {
		var found product
		if _, err := results.Next(&found); err == search.Done {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
}
