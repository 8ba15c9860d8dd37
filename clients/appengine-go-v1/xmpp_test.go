package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/appengine"
	"google.golang.org/appengine/xmpp"
)

const (
	domain = "@apps.test"
	// user is an account of the XMPP server that is not signed in.
	user = "admin" + domain
	// pushed is the app to which the server sends requests.
	pushed = "pushed-gov1"
)

// incoming receives the messages that arrive for the app pushed.
var incoming = make(chan *xmpp.Message, 100)

func init() {
	xmpp.Handle(func(_ context.Context, m *xmpp.Message) { incoming <- m })
}

// withServer ends a test that cannot run because Prosody is missing.
func withServer(t *testing.T) {
	t.Helper()
	if os.Getenv("PETRICHOR_TEST_XMPP") == "" {
		t.Fatal("the server has no XMPP server: install prosody")
	}
}

func TestMessagesReachAnApp(t *testing.T) {
	withServer(t)
	app := project()
	body := "hello " + app + " <&> 🌧"
	message := xmpp.Message{To: []string{pushed + domain}, Body: body}
	check(t, inApp(t, app, message.Send))
	got := next(t, body)
	if got.Sender != app+domain+"/bot" || got.To[0] != pushed+domain {
		t.Fatalf("got %+v", got)
	}
}

func next(t *testing.T, body string) *xmpp.Message {
	t.Helper()
	for end := time.After(within); ; {
		select {
		case got := <-incoming:
			if got.Body == body {
				return got
			}
		case <-end:
			t.Fatal("no message arrived")
		}
	}
}

func TestRawXMLIsPartOfTheMessage(t *testing.T) {
	withServer(t)
	app := project()
	message := xmpp.Message{To: []string{pushed + domain}, RawXML: true, Type: "normal", Body: "<body>raw " + app + "</body>"}
	check(t, inApp(t, app, message.Send))
	next(t, "raw "+app)
	message.Body = "</message><message to='" + user + "'>"
	if err := inApp(t, app, message.Send); err == nil || !strings.Contains(err.Error(), "INVALID_XML") {
		t.Fatalf("got %v", err)
	}
}

func TestEachRecipientHasAnError(t *testing.T) {
	withServer(t)
	message := xmpp.Message{To: []string{"nothing", user}, Body: "x"}
	var each appengine.MultiError
	if err := inApp(t, project(), message.Send); !errors.As(err, &each) || len(each) != 2 {
		t.Fatalf("got %v", err)
	}
	if each[0] == nil || each[1] != nil {
		t.Fatalf("got %v", each)
	}
}

func TestAnAppHasOneAddress(t *testing.T) {
	withServer(t)
	app := project()
	message := xmpp.Message{Sender: pushed + domain, To: []string{user}, Body: "x"}
	if err := inApp(t, app, message.Send); err == nil || !strings.Contains(err.Error(), "INVALID_JID") {
		t.Fatalf("got %v", err)
	}
	message.Sender = app + domain + "/bot"
	check(t, inApp(t, app, message.Send))
}

func TestPresence(t *testing.T) {
	withServer(t)
	app := project()
	check(t, inApp(t, app, func(ctx context.Context) error {
		if _, err := xmpp.GetPresence(ctx, pushed+domain, ""); err != xmpp.ErrPresenceUnavailable {
			return errors.Join(errors.New("before the invitation"), err)
		}
		return xmpp.Invite(ctx, pushed+domain, "")
	}))
	// The platform accepts invitations of apps.
	for end := time.Now().Add(within); ; {
		var show string
		err := inApp(t, app, func(ctx context.Context) (err error) {
			show, err = xmpp.GetPresence(ctx, pushed+domain, "")
			return err
		})
		if err == nil && show == "" {
			break
		}
		if time.Now().After(end) {
			t.Fatal(show, err)
		}
	}
	err := inApp(t, app, func(ctx context.Context) error {
		_, err := xmpp.GetPresenceMulti(ctx, []string{pushed + domain, "nothing"}, "")
		return err
	})
	var each appengine.MultiError
	if !errors.As(err, &each) || len(each) != 2 || each[0] != nil || each[1] != xmpp.ErrInvalidJID {
		t.Fatalf("got %v", err)
	}
	presence := xmpp.Presence{To: pushed + domain, State: "away", Status: "resting"}
	check(t, inApp(t, app, presence.Send))
	presence.State = "bored"
	if err := inApp(t, app, presence.Send); err == nil || !strings.Contains(err.Error(), "INVALID_SHOW") {
		t.Fatalf("got %v", err)
	}
}
