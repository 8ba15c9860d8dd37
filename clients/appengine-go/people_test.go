package app

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/mail"
	"google.golang.org/appengine/v2/urlfetch"
	"google.golang.org/appengine/v2/user"
)

func TestLoginURLs(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		login, err := user.LoginURL(ctx, "/a?b=c")
		check(t, err)
		equal(t, login, "/_ah/login?continue="+url.QueryEscape("/a?b=c"))
		logout, err := user.LogoutURL(ctx, "/")
		check(t, err)
		equal(t, logout, "/_ah/logout?continue=%2F")
		if _, err := user.CurrentOAuth(ctx); err == nil {
			t.Fatal("there is no OAuth")
		}
		if _, err := user.OAuthConsumerKey(ctx); err == nil {
			t.Fatal("there is no OAuth")
		}
	})
}

func TestMailsAreAccepted(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		message := &mail.Message{
			Sender:  "bot@" + appengine.AppID(ctx) + ".appspotmail.com",
			To:      []string{"you@example.com"},
			Subject: "Hello",
			Body:    "text",
		}
		check(t, mail.Send(ctx, message))
		message.To = nil
		if err := mail.SendToAdmins(ctx, message); err == nil || !strings.Contains(err.Error(), "administrator") {
			t.Fatalf("an app without administrators: %v", err)
		}
		message.To = []string{"you@example.com"}
		message.Sender = "you@example.com"
		if err := mail.Send(ctx, message); err == nil || !strings.Contains(err.Error(), "UNAUTHORIZED_SENDER") {
			t.Fatalf("a mail of another sender: %v", err)
		}
	})
}

func TestThePlatformIsOutOfReach(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		for _, host := range []string{"127.0.0.1:8081", "169.254.169.254", "[::1]:8081"} {
			if _, err := urlfetch.Client(ctx).Get("http://" + host + "/"); err == nil {
				t.Fatalf("%s was reached", host)
			}
		}
	})
}
