// Package app holds tests of Google's App Engine SDK for Go against a running server.
//
// Each test is a request of an app: the SDK's middleware takes the ticket from the header, and every API call
// sends it to the server at API_HOST and API_PORT. Without tokens, a ticket PROJECT/anything names the app.
// Every test has its own app, so tests do not see each other's data.
package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
)

const ticketHeader = "X-Appengine-Api-Ticket"

// project returns the id of an app that no other test uses.
func project() string {
	random := make([]byte, 10)
	rand.Read(random)
	return "t" + hex.EncodeToString(random)
}

// request runs a function in a request of the app whose ticket is given.
func request(t *testing.T, ticket string, run func(ctx context.Context)) {
	t.Helper()
	if os.Getenv("API_HOST") == "" || os.Getenv("API_PORT") == "" {
		t.Fatal("set API_HOST and API_PORT, or start these tests with clients/run")
	}
	// What the platform sets in the process of an app.
	t.Setenv("GAE_ENV", "standard")
	t.Setenv("GAE_SERVICE", "default")
	t.Setenv("GAE_VERSION", "v1")
	handler := appengine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(appengine.NewContext(r), time.Minute)
		defer cancel()
		run(ctx)
	}))
	r := httptest.NewRequest("GET", "/", nil)
	if ticket != "" {
		r.Header.Set(ticketHeader, ticket)
	}
	handler.ServeHTTP(httptest.NewRecorder(), r)
}

// inApp runs a test in a request of an app of its own.
func inApp(t *testing.T, run func(ctx context.Context)) {
	t.Helper()
	name := project()
	t.Setenv("GAE_APPLICATION", "s~"+name)
	t.Setenv("GOOGLE_CLOUD_PROJECT", name)
	request(t, name+"/request", run)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}
