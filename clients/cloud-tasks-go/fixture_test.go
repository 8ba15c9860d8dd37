// Package tasks holds tests of the official Go client of Cloud Tasks against a running server.
package tasks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	cloudtasks "cloud.google.com/go/cloudtasks/apiv2"
	pb "cloud.google.com/go/cloudtasks/apiv2/cloudtaskspb"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const (
	fetched = "127.0.0.2" // clients/run permits requests to it
	pushed  = "pushed-tasks"
	longest = time.Minute
)

// fixture is a client with a project that no other test uses.
type fixture struct {
	*cloudtasks.Client
	t      *testing.T
	ctx    context.Context
	parent string
}

// each runs a test with a client over gRPC and with one over REST.
func each(t *testing.T, run func(f *fixture)) {
	host, port := os.Getenv("API_HOST"), os.Getenv("API_PORT")
	if host == "" || port == "" {
		t.Fatal("set API_HOST and API_PORT, or start these tests with clients/run")
	}
	address := net.JoinHostPort(host, port)
	for protocol, open := range map[string]func(ctx context.Context) (*cloudtasks.Client, error){
		"grpc": func(ctx context.Context) (*cloudtasks.Client, error) {
			return cloudtasks.NewClient(ctx, option.WithEndpoint(address), option.WithoutAuthentication(),
				option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
		},
		"rest": func(ctx context.Context) (*cloudtasks.Client, error) {
			return cloudtasks.NewRESTClient(ctx, option.WithEndpoint("http://"+address), option.WithoutAuthentication())
		},
	} {
		t.Run(protocol, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), longest)
			client, err := open(ctx)
			check(t, err)
			t.Cleanup(func() { client.Close(); cancel() })
			random := make([]byte, 10)
			rand.Read(random)
			run(&fixture{client, t, ctx, location("t" + hex.EncodeToString(random))})
		})
	}
}

func location(project string) string { return "projects/" + project + "/locations/europe-west1" }

// queue creates a queue.
func (f *fixture) queue(name string) string {
	f.t.Helper()
	created, err := f.CreateQueue(f.ctx, f.newQueue(name))
	check(f.t, err)
	return created.Name
}

func (f *fixture) newQueue(name string) *pb.CreateQueueRequest {
	return &pb.CreateQueueRequest{Parent: f.parent, Queue: &pb.Queue{Name: f.parent + "/queues/" + name}}
}

// add creates a task.
func (f *fixture) add(queue string, task *pb.Task) *pb.Task {
	f.t.Helper()
	created, err := f.CreateTask(f.ctx, &pb.CreateTaskRequest{Parent: queue, Task: task})
	check(f.t, err)
	return created
}

func inAnHour() *timestamppb.Timestamp { return timestamppb.New(time.Now().Add(time.Hour)) }

// waiting is a task that no test executes.
func waiting(name string) *pb.Task {
	return &pb.Task{Name: name, ScheduleTime: inAnHour(), MessageType: appRequest("/job", "body")}
}

func appRequest(uri, body string) *pb.Task_AppEngineHttpRequest {
	return &pb.Task_AppEngineHttpRequest{AppEngineHttpRequest: &pb.AppEngineHttpRequest{
		RelativeUri: uri, Body: []byte(body),
	}}
}

func (f *fixture) queues(request *pb.ListQueuesRequest) []string {
	f.t.Helper()
	names := []string{}
	for found := f.ListQueues(f.ctx, request); ; {
		queue, err := found.Next()
		if err == iterator.Done {
			return names
		}
		check(f.t, err)
		names = append(names, queue.Name)
	}
}

func (f *fixture) tasks(request *pb.ListTasksRequest) []string {
	f.t.Helper()
	names := []string{}
	for found := f.ListTasks(f.ctx, request); ; {
		task, err := found.Next()
		if err == iterator.Done {
			return names
		}
		check(f.t, err)
		names = append(names, task.Name)
	}
}

// refused checks the code of an error; a REST client knows only the HTTP status.
func refused(t *testing.T, what string, err error, code codes.Code, status int) {
	t.Helper()
	var failure *apierror.APIError
	if !errors.As(err, &failure) || failure.HTTPCode() != status && failure.GRPCStatus().Code() != code {
		t.Errorf("%s: got %v, want %v or %d", what, err, code, status)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// arrival is a request that a receiver got.
type arrival struct {
	method, uri, body string
	header            http.Header
}

// receiver is a server that records requests; it fails the first one to each path that begins with /fails.
type receiver struct {
	*httptest.Server
	t        *testing.T
	arrivals chan arrival
}

func listen(t *testing.T, address string) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	check(t, err)
	received := &receiver{t: t, arrivals: make(chan arrival, 100)}
	var failed sync.Map
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, before := failed.LoadOrStore(r.URL.Path, true)
		if strings.HasPrefix(r.URL.Path, "/fails") && !before {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		received.arrivals <- arrival{r.Method, r.RequestURI, string(body), r.Header}
	})
	received.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	received.Start()
	t.Cleanup(received.Close)
	return received
}

func (r *receiver) next() arrival {
	r.t.Helper()
	select {
	case one := <-r.arrivals:
		return one
	case <-time.After(longest):
		r.t.Fatal("no request arrived")
		return arrival{}
	}
}
