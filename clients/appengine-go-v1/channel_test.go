// Package app holds tests of the APIs that only the first version of Google's App Engine SDK for Go has.
//
// The tests are requests of an app that the SDK itself serves (appengine.Main), because the first version has
// no public middleware.
package app

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/appengine"
	"google.golang.org/appengine/channel"
)

const (
	ticketHeader = "X-Appengine-Api-Ticket"
	within       = time.Minute
)

// served receives the function that the next request of the app runs.
var served = make(chan func(ctx context.Context) error, 1)

func TestMain(m *testing.M) {
	// What the platform sets in the process of an app.
	os.Setenv("GAE_ENV", "standard")
	os.Setenv("PORT", port())
	http.HandleFunc("/test", func(w http.ResponseWriter, r *http.Request) {
		if run := <-served; run(appengine.NewContext(r)) != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	go appengine.Main()
	os.Exit(m.Run())
}

// port returns the one to which the server sends requests of the app pushed, or a free one.
func port() string {
	if given := os.Getenv("PETRICHOR_TEST_PUSH_GOV1"); given != "" {
		return given
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer free.Close()
	return strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
}

// inApp runs a function in a request of the app, and returns its error.
func inApp(t *testing.T, app string, run func(ctx context.Context) error) error {
	t.Helper()
	var outcome error
	served <- func(ctx context.Context) error {
		outcome = run(ctx)
		return outcome
	}
	for end := time.Now().Add(within); ; {
		request, err := http.NewRequest("GET", "http://127.0.0.1:"+os.Getenv("PORT")+"/test", nil)
		check(t, err)
		request.Header.Set(ticketHeader, app+"/request")
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			answer.Body.Close()
			return outcome
		}
		if time.Now().After(end) { // the app is starting
			t.Fatal(err)
		}
	}
}

// project returns the id of an app that no other test uses.
func project() string {
	random := make([]byte, 10)
	rand.Read(random)
	return "t" + hex.EncodeToString(random)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// messages connects like a page without WebSockets, and returns a function that waits for the next message.
func messages(t *testing.T, token string) func() string {
	t.Helper()
	address := "http://" + os.Getenv("API_HOST") + ":" + os.Getenv("API_PORT") +
		"/_ah/channel/connect?token=" + url.QueryEscape(token)
	ctx, cancel := context.WithTimeout(context.Background(), within)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	check(t, err)
	request.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	named := false
	return func() string {
		t.Helper()
		for lines.Scan() {
			line := lines.Text()
			data, isData := strings.CutPrefix(line, "data: ")
			if isData && !named {
				var message string
				check(t, json.Unmarshal([]byte(data), &message))
				return message
			}
			named = strings.HasPrefix(line, "event: ")
		}
		t.Fatal("the server ended the connection", lines.Err())
		return ""
	}
}

func TestMessagesReachTheClient(t *testing.T) {
	app := project()
	var token string
	check(t, inApp(t, app, func(ctx context.Context) (err error) {
		token, err = channel.Create(ctx, "player 1")
		return err
	}))
	next := messages(t, token)
	check(t, inApp(t, app, func(ctx context.Context) error {
		return errors.Join(
			channel.Send(ctx, "player 1", "game\nover"),
			channel.SendJSON(ctx, "player 1", map[string]int{"score": 7}),
			channel.Send(ctx, "player 2", "for another player"))
	}))
	if got := next(); got != "game\nover" {
		t.Fatalf("got %q", got)
	}
	if got := next(); got != `{"score":7}` {
		t.Fatalf("got %q", got)
	}
}

func TestProblemsAreErrorsOfTheAPI(t *testing.T) {
	err := inApp(t, project(), func(ctx context.Context) error {
		_, err := channel.Create(ctx, "")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "INVALID_CHANNEL_KEY") {
		t.Fatalf("got %v", err)
	}
	err = inApp(t, project(), func(ctx context.Context) error {
		return channel.Send(ctx, "player 1", strings.Repeat("x", 32<<10+1))
	})
	if err == nil || !strings.Contains(err.Error(), "BAD_MESSAGE") {
		t.Fatalf("got %v", err)
	}
}
