package petrichor.frontends.tasks;

import com.google.cloud.tasks.v2.CreateQueueRequest;
import com.google.cloud.tasks.v2.DeleteQueueRequest;
import com.google.cloud.tasks.v2.GetQueueRequest;
import com.google.cloud.tasks.v2.ListQueuesRequest;
import com.google.cloud.tasks.v2.ListQueuesResponse;
import com.google.cloud.tasks.v2.PauseQueueRequest;
import com.google.cloud.tasks.v2.PurgeQueueRequest;
import com.google.cloud.tasks.v2.Queue.State;
import com.google.cloud.tasks.v2.ResumeQueueRequest;
import com.google.cloud.tasks.v2.UpdateQueueRequest;
import com.google.protobuf.Empty;
import com.google.protobuf.FieldMask;
import com.google.protobuf.util.FieldMaskUtil;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.dispatch.Dispatchers;

/** The methods about queues. Thread-safe. */
record QueueResources(Dispatchers dispatchers) {
    /** Google's limit. */
    private static final int PAGE_MAX = 9_800;

    private static final Pattern STATE_FILTER =
            Pattern.compile("\\s*state\\s*[:=]\\s*\"?(RUNNING|PAUSED|DISABLED)\"?\\s*");

    ProjectQueues of(ResourceName name) {
        return dispatchers.open(name.project());
    }

    /** NOT_FOUND if there is none; FAILED_PRECONDITION for a pull queue. */
    Queue require(ResourceName name) {
        Queue queue = of(name).require(name.queue());
        if (queue.mode() == QueueMode.PULL) {
            throw pull(name.queue());
        }
        return queue;
    }

    private static PetrichorException pull(String queue) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "The queue {queue} is a pull queue, which Cloud Tasks v2 does not have; use"
                        + " taskqueue.",
                "queue",
                queue);
    }

    com.google.cloud.tasks.v2.Queue get(GetQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getName());
        return QueueTranslator.toMessage(name, require(name));
    }

    /** In the order of their names; the token of a page is the name before it. */
    ListQueuesResponse list(ListQueuesRequest request) {
        ResourceName location = ResourceName.ofLocation(request.getParent());
        if (request.getPageSize() < 0) {
            throw PetrichorException.invalid(
                    "page_size is {size}; it must not be negative.", "size", request.getPageSize());
        }
        Optional<State> state = state(request.getFilter());
        int max = request.getPageSize() == 0 ? PAGE_MAX : Math.min(request.getPageSize(), PAGE_MAX);
        ProjectQueues queues = of(location);
        var _ = queues.require(Queue.DEFAULT);
        List<com.google.cloud.tasks.v2.Queue> found =
                queues.queues().stream()
                        .filter(queue -> queue.mode() == QueueMode.PUSH)
                        .filter(queue -> queue.name().compareTo(request.getPageToken()) > 0)
                        .map(queue -> QueueTranslator.toMessage(location, queue))
                        .filter(queue -> state.isEmpty() || queue.getState() == state.get())
                        .limit(max + 1L)
                        .toList();
        ListQueuesResponse.Builder response = ListQueuesResponse.newBuilder();
        if (found.size() <= max) {
            return response.addAllQueues(found).build();
        }
        List<com.google.cloud.tasks.v2.Queue> page = found.subList(0, max);
        return response.addAllQueues(page)
                .setNextPageToken(ResourceName.ofQueue(page.getLast().getName()).queue())
                .build();
    }

    private static Optional<State> state(String filter) {
        if (filter.isBlank()) {
            return Optional.empty();
        }
        Matcher matcher = STATE_FILTER.matcher(filter);
        if (!matcher.matches()) {
            throw PetrichorException.invalid(
                    "The filter must be empty or name a state, such as state: PAUSED.");
        }
        return Optional.of(State.valueOf(matcher.group(1)));
    }

    com.google.cloud.tasks.v2.Queue create(CreateQueueRequest request) {
        ResourceName location = ResourceName.ofLocation(request.getParent());
        ResourceName name = ResourceName.ofQueue(request.getQueue().getName());
        if (!name.isBeside(location)) {
            throw PetrichorException.invalid(
                    "The queue {queue} is not in {parent}; name the same location twice.",
                    "queue",
                    name,
                    "parent",
                    location);
        }
        Queue queue =
                QueueTranslator.fromMessage(name.queue(), request.getQueue(), Optional.empty());
        if (!of(name).create(queue)) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "The queue {queue} exists already; change it with UpdateQueue.",
                    "queue",
                    name);
        }
        return QueueTranslator.toMessage(name, queue);
    }

    /** Creates the queue if it does not exist. */
    com.google.cloud.tasks.v2.Queue update(UpdateQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getQueue().getName());
        ProjectQueues queues = of(name);
        Optional<Queue> former = queues.queue(name.queue());
        if (former.filter(queue -> queue.mode() == QueueMode.PULL).isPresent()) {
            throw pull(name.queue());
        }
        com.google.cloud.tasks.v2.Queue wanted =
                former.isEmpty() || request.getUpdateMask().getPathsCount() == 0
                        ? request.getQueue()
                        : merged(name, former.get(), request);
        Queue queue = QueueTranslator.fromMessage(name.queue(), wanted, former);
        queues.define(List.of(queue));
        return QueueTranslator.toMessage(name, queue);
    }

    private static com.google.cloud.tasks.v2.Queue merged(
            ResourceName name, Queue former, UpdateQueueRequest request) {
        FieldMask mask = request.getUpdateMask();
        if (!FieldMaskUtil.isValid(com.google.cloud.tasks.v2.Queue.getDescriptor(), mask)) {
            throw PetrichorException.invalid(
                    "update_mask names a field that queues do not have: {mask}",
                    "mask",
                    FieldMaskUtil.toString(mask));
        }
        com.google.cloud.tasks.v2.Queue.Builder merged =
                QueueTranslator.toMessage(name, former).toBuilder();
        FieldMaskUtil.merge(
                mask,
                request.getQueue(),
                merged,
                new FieldMaskUtil.MergeOptions().setReplaceMessageFields(true));
        return merged.build();
    }

    /** With its tasks. */
    Empty delete(DeleteQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getName());
        of(name).delete(require(name).name());
        return Empty.getDefaultInstance();
    }

    com.google.cloud.tasks.v2.Queue purge(PurgeQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getName());
        Queue queue = require(name);
        of(name).purge(queue.name());
        return QueueTranslator.toMessage(name, queue);
    }

    com.google.cloud.tasks.v2.Queue pause(PauseQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getName());
        return QueueTranslator.toMessage(name, of(name).pause(require(name).name()));
    }

    com.google.cloud.tasks.v2.Queue resume(ResumeQueueRequest request) {
        ResourceName name = ResourceName.ofQueue(request.getName());
        return QueueTranslator.toMessage(name, of(name).resume(require(name).name()));
    }
}
