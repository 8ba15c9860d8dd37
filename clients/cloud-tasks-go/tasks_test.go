package tasks

import (
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/cloudtasks/apiv2/cloudtaskspb"
	"google.golang.org/grpc/codes"
)

func TestTasksAreCreatedReadListedAndDeleted(t *testing.T) {
	each(t, func(f *fixture) {
		queue := f.queue("q")
		created := f.add(queue, waiting(""))
		if !strings.HasPrefix(created.Name, queue+"/tasks/") {
			f.t.Errorf("name %s", created.Name)
		}
		equal(f.t, "view", created.View, pb.Task_BASIC)
		equal(f.t, "body in the basic view", string(created.GetAppEngineHttpRequest().Body), "")
		full, err := f.GetTask(f.ctx, &pb.GetTaskRequest{Name: created.Name, ResponseView: pb.Task_FULL})
		check(f.t, err)
		equal(f.t, "body", string(full.GetAppEngineHttpRequest().Body), "body")
		equal(f.t, "method", full.GetAppEngineHttpRequest().HttpMethod, pb.HttpMethod_POST)
		if late := time.Until(full.ScheduleTime.AsTime()); late < 59*time.Minute || late > time.Hour {
			f.t.Errorf("scheduled in %v", late)
		}
		want := []string{created.Name}
		for range 4 {
			want = append(want, f.add(queue, waiting("")).Name)
		}
		got := f.tasks(&pb.ListTasksRequest{Parent: queue, PageSize: 2})
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			f.t.Errorf("got %v, want %v", got, want)
		}
		check(f.t, f.DeleteTask(f.ctx, &pb.DeleteTaskRequest{Name: created.Name}))
		_, err = f.GetTask(f.ctx, &pb.GetTaskRequest{Name: created.Name})
		refused(f.t, "a deleted task", err, codes.NotFound, 404)
		_, err = f.PurgeQueue(f.ctx, &pb.PurgeQueueRequest{Name: queue})
		check(f.t, err)
		equal(f.t, "tasks after the purge", len(f.tasks(&pb.ListTasksRequest{Parent: queue})), 0)
	})
}

func TestANameIsUsedOnce(t *testing.T) {
	each(t, func(f *fixture) {
		queue := f.queue("q")
		name := queue + "/tasks/once"
		again := &pb.CreateTaskRequest{Parent: queue, Task: waiting(name)}
		equal(f.t, "name", f.add(queue, waiting(name)).Name, name)
		_, err := f.CreateTask(f.ctx, again)
		refused(f.t, "the same name", err, codes.AlreadyExists, 409)
		check(f.t, f.DeleteTask(f.ctx, &pb.DeleteTaskRequest{Name: name}))
		_, err = f.CreateTask(f.ctx, again)
		refused(f.t, "the name of a deleted task", err, codes.AlreadyExists, 409)
	})
}

func TestErrorsOfTasks(t *testing.T) {
	each(t, func(f *fixture) {
		unknown := f.parent + "/queues/unknown"
		_, err := f.CreateTask(f.ctx, &pb.CreateTaskRequest{Parent: unknown, Task: waiting("")})
		refused(f.t, "no queue", err, codes.NotFound, 404)
		queue := f.queue("q")
		_, err = f.CreateTask(f.ctx, &pb.CreateTaskRequest{Parent: queue, Task: &pb.Task{}})
		refused(f.t, "no request", err, codes.InvalidArgument, 400)
		large := &pb.Task{MessageType: appRequest("/job", strings.Repeat("x", 200_000))}
		_, err = f.CreateTask(f.ctx, &pb.CreateTaskRequest{Parent: queue, Task: large})
		refused(f.t, "a large body", err, codes.InvalidArgument, 400)
		_, err = f.RunTask(f.ctx, &pb.RunTaskRequest{Name: queue + "/tasks/unknown"})
		refused(f.t, "no task", err, codes.NotFound, 404)
	})
}
