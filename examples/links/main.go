// Command links shortens URLs: a link is an entity, memcache keeps its URL, and a task counts each visit.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/datastore"
	"google.golang.org/appengine/v2/memcache"
	"google.golang.org/appengine/v2/taskqueue"
)

const urlBytesMax = 2_000

// Link is stored under its short name.
type Link struct {
	URL    string `datastore:",noindex"`
	Visits int
}

const page = `<!doctype html><meta charset="utf-8"><title>Links</title>
<form method="post" action="/links"><input name="target" type="url" size="60" placeholder="https://" required> <button>Shorten</button></form>
`

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, page) })
	mux.HandleFunc("POST /links", create)
	mux.HandleFunc("GET /l/{name}", follow)
	mux.HandleFunc("GET /l/{name}/visits", visits)
	mux.HandleFunc("POST /tasks/visit", visit) // app.yaml refuses requests of others than the queue
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), appengine.Middleware(mux)))
}

func key(ctx context.Context, name string) *datastore.Key {
	return datastore.NewKey(ctx, "Link", name, 0, nil)
}

func failed(w http.ResponseWriter, err error) {
	if errors.Is(err, datastore.ErrNoSuchEntity) {
		http.Error(w, "there is no such link", http.StatusNotFound)
		return
	}
	log.Print(err)
	http.Error(w, "try again later", http.StatusInternalServerError)
}

func create(w http.ResponseWriter, r *http.Request) {
	target, err := url.Parse(r.FormValue("target"))
	if err != nil || (target.Scheme != "http" && target.Scheme != "https") || len(r.FormValue("target")) > urlBytesMax {
		http.Error(w, "give a URL that begins with http:// or https://", http.StatusBadRequest)
		return
	}
	random := make([]byte, 5)
	rand.Read(random)
	name := hex.EncodeToString(random)
	ctx := appengine.NewContext(r)
	if _, err := datastore.Put(ctx, key(ctx, name), &Link{URL: target.String()}); err != nil {
		failed(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "/l/%s\n", name)
}

func follow(w http.ResponseWriter, r *http.Request) {
	ctx, name := appengine.NewContext(r), r.PathValue("name")
	target, err := lookUp(ctx, name)
	if err == nil {
		_, err = taskqueue.Add(ctx, taskqueue.NewPOSTTask("/tasks/visit", url.Values{"name": {name}}), "")
	}
	if err != nil {
		failed(w, err)
		return
	}
	http.Redirect(w, r, target, http.StatusFound)
}

func lookUp(ctx context.Context, name string) (string, error) {
	if item, err := memcache.Get(ctx, name); err == nil {
		return string(item.Value), nil
	}
	var link Link
	if err := datastore.Get(ctx, key(ctx, name), &link); err != nil {
		return "", err
	}
	if err := memcache.Set(ctx, &memcache.Item{Key: name, Value: []byte(link.URL)}); err != nil {
		log.Print(err) // the next visit reads the entity
	}
	return link.URL, nil
}

func visits(w http.ResponseWriter, r *http.Request) {
	ctx := appengine.NewContext(r)
	var link Link
	if err := datastore.Get(ctx, key(ctx, r.PathValue("name")), &link); err != nil {
		failed(w, err)
		return
	}
	fmt.Fprintln(w, link.Visits)
}

func visit(w http.ResponseWriter, r *http.Request) {
	err := datastore.RunInTransaction(appengine.NewContext(r), func(ctx context.Context) error {
		var link Link
		k := key(ctx, r.FormValue("name"))
		if err := datastore.Get(ctx, k, &link); err != nil {
			return err
		}
		link.Visits++
		_, err := datastore.Put(ctx, k, &link)
		return err
	}, nil)
	if err != nil {
		failed(w, err) // the queue repeats the task
	}
}
