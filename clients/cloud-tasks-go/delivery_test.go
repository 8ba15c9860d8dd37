package tasks

import (
	"os"
	"strings"
	"testing"

	pb "cloud.google.com/go/cloudtasks/apiv2/cloudtaskspb"
)

func TestHttpTasksArriveWithHeadersAndAreRepeated(t *testing.T) {
	each(t, func(f *fixture) {
		target := listen(f.t, fetched+":0")
		task := f.add(f.queue("q"), &pb.Task{MessageType: &pb.Task_HttpRequest{HttpRequest: &pb.HttpRequest{
			Url: target.URL + "/fails?a=1", HttpMethod: pb.HttpMethod_PUT,
			Headers: map[string]string{"X-Own": "1"}, Body: []byte("\x00\xff"),
		}}})
		first := target.next()
		equal(f.t, "method", first.method, "PUT")
		equal(f.t, "path", first.uri, "/fails?a=1")
		equal(f.t, "body", first.body, "\x00\xff")
		equal(f.t, "own header", first.header.Get("X-Own"), "1")
		equal(f.t, "type", first.header.Get("Content-Type"), "application/octet-stream")
		equal(f.t, "queue", first.header.Get("X-CloudTasks-QueueName"), "q")
		equal(f.t, "task", first.header.Get("X-CloudTasks-TaskName"), task.Name[strings.LastIndex(task.Name, "/")+1:])
		equal(f.t, "retries", first.header.Get("X-CloudTasks-TaskRetryCount"), "0")
		second := target.next()
		equal(f.t, "retries", second.header.Get("X-CloudTasks-TaskRetryCount"), "1")
		equal(f.t, "previous response", second.header.Get("X-CloudTasks-TaskPreviousResponse"), "503")
	})
}

func TestAPausedQueueKeepsItsTasks(t *testing.T) {
	each(t, func(f *fixture) {
		target := listen(f.t, fetched+":0")
		queue := f.queue("q")
		_, err := f.PauseQueue(f.ctx, &pb.PauseQueueRequest{Name: queue})
		check(f.t, err)
		request := func(path string) *pb.Task_HttpRequest {
			return &pb.Task_HttpRequest{HttpRequest: &pb.HttpRequest{Url: target.URL + path}}
		}
		f.add(queue, &pb.Task{MessageType: request("/paused")})
		forced := f.add(queue, &pb.Task{MessageType: request("/forced"), ScheduleTime: inAnHour()})
		_, err = f.RunTask(f.ctx, &pb.RunTaskRequest{Name: forced.Name})
		check(f.t, err)
		equal(f.t, "a task that runs on request", target.next().uri, "/forced")
		_, err = f.ResumeQueue(f.ctx, &pb.ResumeQueueRequest{Name: queue})
		check(f.t, err)
		equal(f.t, "a task of the resumed queue", target.next().uri, "/paused")
	})
}

func TestTasksOfTheAppArrive(t *testing.T) {
	port := os.Getenv("PETRICHOR_TEST_PUSH_TASKS")
	if port == "" {
		t.Fatal("set apps.targets of the server and PETRICHOR_TEST_PUSH_TASKS, or start these tests with clients/run")
	}
	each(t, func(f *fixture) {
		app := listen(f.t, "127.0.0.1:"+port)
		queue := location(pushed) + "/queues/default"
		_, err := f.PurgeQueue(f.ctx, &pb.PurgeQueueRequest{Name: queue})
		check(f.t, err)
		f.add(queue, &pb.Task{MessageType: appRequest("/job?a=1", "body")})
		arrived := app.next()
		equal(f.t, "method", arrived.method, "POST")
		equal(f.t, "path", arrived.uri, "/job?a=1")
		equal(f.t, "body", arrived.body, "body")
		equal(f.t, "queue", arrived.header.Get("X-AppEngine-QueueName"), "default")
	})
}
