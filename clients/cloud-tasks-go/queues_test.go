package tasks

import (
	"reflect"
	"testing"
	"time"

	pb "cloud.google.com/go/cloudtasks/apiv2/cloudtaskspb"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

func TestAQueueIsCreatedReadChangedAndDeleted(t *testing.T) {
	each(t, func(f *fixture) {
		wanted := f.newQueue("q")
		wanted.Queue.RateLimits = &pb.RateLimits{MaxDispatchesPerSecond: 2.5}
		created, err := f.CreateQueue(f.ctx, wanted)
		check(f.t, err)
		equal(f.t, "state", created.State, pb.Queue_RUNNING)
		equal(f.t, "rate", created.RateLimits.MaxDispatchesPerSecond, 2.5)
		equal(f.t, "attempts", created.RetryConfig.MaxAttempts, 100)
		found, err := f.GetQueue(f.ctx, &pb.GetQueueRequest{Name: created.Name})
		check(f.t, err)
		if !proto.Equal(found, created) {
			f.t.Errorf("read %v, created %v", found, created)
		}
		created.RetryConfig.MinBackoff = durationpb.New(3 * time.Second)
		created.RateLimits.MaxDispatchesPerSecond = 9
		changed, err := f.UpdateQueue(f.ctx, &pb.UpdateQueueRequest{
			Queue: created, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"retry_config.min_backoff"}},
		})
		check(f.t, err)
		equal(f.t, "changed", changed.RetryConfig.MinBackoff.AsDuration(), 3*time.Second)
		equal(f.t, "not in the mask", changed.RateLimits.MaxDispatchesPerSecond, 2.5)
		check(f.t, f.DeleteQueue(f.ctx, &pb.DeleteQueueRequest{Name: created.Name}))
		_, err = f.GetQueue(f.ctx, &pb.GetQueueRequest{Name: created.Name})
		refused(f.t, "a deleted queue", err, codes.NotFound, 404)
	})
}

func TestErrorsOfQueues(t *testing.T) {
	each(t, func(f *fixture) {
		f.queue("q")
		_, err := f.CreateQueue(f.ctx, f.newQueue("q"))
		refused(f.t, "the same name", err, codes.AlreadyExists, 409)
		_, err = f.CreateQueue(f.ctx, f.newQueue("not_valid"))
		refused(f.t, "an underscore", err, codes.InvalidArgument, 400)
		_, err = f.PauseQueue(f.ctx, &pb.PauseQueueRequest{Name: f.parent + "/queues/unknown"})
		refused(f.t, "no queue", err, codes.NotFound, 404)
	})
}

func TestQueuesAreListedInPages(t *testing.T) {
	each(t, func(f *fixture) {
		want := []string{f.parent + "/queues/default", f.queue("q0"), f.queue("q1"), f.queue("q2"), f.queue("q3")}
		got := f.queues(&pb.ListQueuesRequest{Parent: f.parent, PageSize: 2})
		if !reflect.DeepEqual(got, want) {
			f.t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestAQueueIsPausedAndResumed(t *testing.T) {
	each(t, func(f *fixture) {
		f.queue("other")
		name := f.queue("q")
		paused, err := f.PauseQueue(f.ctx, &pb.PauseQueueRequest{Name: name})
		check(f.t, err)
		equal(f.t, "paused", paused.State, pb.Queue_PAUSED)
		got := f.queues(&pb.ListQueuesRequest{Parent: f.parent, Filter: "state: PAUSED"})
		if !reflect.DeepEqual(got, []string{name}) {
			f.t.Errorf("paused: %v", got)
		}
		resumed, err := f.ResumeQueue(f.ctx, &pb.ResumeQueueRequest{Name: name})
		check(f.t, err)
		equal(f.t, "resumed", resumed.State, pb.Queue_RUNNING)
	})
}
