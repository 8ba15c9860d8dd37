package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/datastore"
	"google.golang.org/appengine/v2/delay"
	"google.golang.org/appengine/v2/memcache"
	"google.golang.org/appengine/v2/taskqueue"
)

// pushedProject is the app whose tasks the server sends to a port of this process.
const pushedProject = "pushed-go"

const arrivalMax = time.Minute

type order struct{ Number int }

func count(t *testing.T, ctx context.Context) int {
	t.Helper()
	stats, err := taskqueue.QueueStats(ctx, []string{"default"})
	check(t, err)
	return stats[0].Tasks
}

func TestAddedTasksHaveNames(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		task := taskqueue.NewPOSTTask("/job", url.Values{"a": {"1"}})
		task.Delay = time.Hour
		added, err := taskqueue.Add(ctx, task, "")
		check(t, err)
		if added.Name == "" {
			t.Fatal("no name")
		}
		equal(t, count(t, ctx), 1)
		check(t, taskqueue.Delete(ctx, added, ""))
		equal(t, count(t, ctx), 0)
	})
}

func TestANameIsUsedOnce(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		task := &taskqueue.Task{Path: "/job", Name: "once", Delay: time.Hour}
		_, err := taskqueue.Add(ctx, task, "")
		check(t, err)
		_, err = taskqueue.Add(ctx, task, "")
		equal(t, err, taskqueue.ErrTaskAlreadyAdded)
		check(t, taskqueue.Delete(ctx, task, ""))
		_, err = taskqueue.Add(ctx, task, "")
		equal(t, err, taskqueue.ErrTaskAlreadyAdded)
		_, err = taskqueue.AddMulti(ctx, []*taskqueue.Task{task, {Path: "/job", Delay: time.Hour}}, "")
		var each appengine.MultiError
		if !errors.As(err, &each) {
			t.Fatal(err)
		}
		equal(t, each[0], taskqueue.ErrTaskAlreadyAdded)
		equal(t, each[1], nil)
		equal(t, count(t, ctx), 1)
	})
}

func TestUnknownQueuesAreRefused(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		_, err := taskqueue.Add(ctx, &taskqueue.Task{Path: "/job"}, "unknown")
		if err == nil {
			t.Fatal("the task was added")
		}
		_, err = taskqueue.Lease(ctx, 1, "", 60)
		if err == nil {
			t.Fatal("a push queue was leased")
		}
	})
}

func TestTransactionalTasks(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		key := datastore.NewKey(ctx, "Order", "o", 0, nil)
		add := func(ctx context.Context, number int, result error) error {
			return datastore.RunInTransaction(ctx, func(tc context.Context) error {
				_, err := datastore.Put(tc, key, &order{number})
				check(t, err)
				_, err = taskqueue.Add(tc, &taskqueue.Task{Path: "/job", Delay: time.Hour}, "")
				check(t, err)
				equal(t, count(t, ctx), 0)
				return result
			}, nil)
		}
		failed := errors.New("rolled back")
		equal(t, add(ctx, 1, failed), failed)
		equal(t, count(t, ctx), 0)
		check(t, add(ctx, 2, nil))
		equal(t, count(t, ctx), 1)
		check(t, taskqueue.Purge(ctx, ""))
		equal(t, count(t, ctx), 0)
	})
}

func TestLeases(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		yaml := "queue:\n- name: pull\n  mode: pull\n"
		send(t, "POST", "/petrichor/v1/queues/"+appengine.AppID(ctx), "text/yaml", []byte(yaml))
		_, err := taskqueue.Add(ctx, &taskqueue.Task{Method: "PULL", Payload: []byte("p"), Tag: "x"}, "pull")
		check(t, err)
		leased, err := taskqueue.LeaseByTag(ctx, 10, "pull", 60, "x")
		check(t, err)
		equal(t, len(leased), 1)
		equal(t, string(leased[0].Payload), "p")
		none, err := taskqueue.Lease(ctx, 10, "pull", 60)
		check(t, err)
		equal(t, len(none), 0)
		check(t, taskqueue.ModifyLease(ctx, leased[0], "pull", 0))
		again, err := taskqueue.Lease(ctx, 10, "pull", 60)
		check(t, err)
		equal(t, len(again), 1)
		if taskqueue.ModifyLease(ctx, leased[0], "pull", 60) == nil {
			t.Fatal("a lease that has ended was extended")
		}
		check(t, taskqueue.Delete(ctx, again[0], "pull"))
	})
}

// pushed runs a test in the app whose requests the handler receives.
func pushed(t *testing.T, handler http.HandlerFunc, run func(ctx context.Context)) {
	t.Helper()
	port := os.Getenv("PETRICHOR_TEST_PUSH_GO")
	if port == "" {
		t.Fatal("set apps.targets of the server and PETRICHOR_TEST_PUSH_GO, or start these tests with clients/run")
	}
	t.Setenv("GAE_APPLICATION", "s~"+pushedProject)
	t.Setenv("GOOGLE_CLOUD_PROJECT", pushedProject)
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	check(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: appengine.Middleware(handler)}}
	server.Start()
	defer server.Close()
	request(t, pushedProject+"/request", run)
}

func arrival[T any](t *testing.T, from chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(arrivalMax):
		t.Fatal("no task arrived")
		panic("unreachable")
	}
}

func TestPushedTasks(t *testing.T) {
	arrived := make(chan string, 10)
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		retries := r.Header.Get("X-AppEngine-TaskRetryCount")
		ctx := appengine.NewContext(r)
		// The ticket of the task allows calls.
		item, err := memcache.Get(ctx, "k")
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		arrived <- fmt.Sprintf("%s %s %s %s", r.URL.Path, body, retries, item.Value)
		if retries == "0" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	pushed(t, handler, func(ctx context.Context) {
		set(t, ctx, "k", "v")
		check(t, taskqueue.Purge(ctx, ""))
		_, err := taskqueue.Add(ctx, taskqueue.NewPOSTTask("/job", url.Values{"a": {"1"}}), "")
		check(t, err)
		equal(t, arrival(t, arrived), "/job a=1 0 v")
		equal(t, arrival(t, arrived), "/job a=1 1 v")
	})
}

var delayed = make(chan string, 1)

var laterFunc = delay.MustRegister("later", func(ctx context.Context, text string) { delayed <- text })

func TestDelayedFunctions(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/_ah/queue/go/delay", http.DefaultServeMux)
	pushed(t, mux.ServeHTTP, func(ctx context.Context) {
		check(t, taskqueue.Purge(ctx, ""))
		check(t, laterFunc.Call(ctx, "now"))
		equal(t, arrival(t, delayed), "now")
	})
}
