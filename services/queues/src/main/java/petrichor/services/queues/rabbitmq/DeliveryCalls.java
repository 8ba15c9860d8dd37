package petrichor.services.queues.rabbitmq;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.queues.Queue;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskCodec;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.rabbitmq.wire.ClaimedTask;
import petrichor.services.queues.rabbitmq.wire.DeliveryCall;
import petrichor.services.queues.rabbitmq.wire.DeliveryClaim;
import petrichor.services.queues.rabbitmq.wire.DeliveryEnd;
import petrichor.services.queues.stored.StoredQueue;
import petrichor.services.queues.stored.StoredState;
import petrichor.services.queues.stored.StoredTask;

/** The calls of {@link TaskOwners} as bytes, for another server. Pure functions. */
public final class DeliveryCalls {
    private DeliveryCalls() {}

    public static DeliveryCall claim(TaskNotice notice) {
        return DeliveryCall.newBuilder()
                .setProject(notice.project())
                .setDelivery(notice.delivery())
                .setClaim(DeliveryClaim.newBuilder().setCopy(notice.copy()))
                .build();
    }

    public static DeliveryCall end(String project, String delivery, DeliveryResult result) {
        DeliveryEnd.Builder end = DeliveryEnd.newBuilder().setStatus(result.status());
        if (result instanceof DeliveryResult.Unanswered(String reason)) {
            end.setReason(reason);
        }
        return DeliveryCall.newBuilder()
                .setProject(project)
                .setDelivery(delivery)
                .setEnd(end)
                .build();
    }

    /** Reads a call of another server; INVALID_ARGUMENT if it is damaged. */
    public static DeliveryCall decode(byte[] body) {
        return parsed(DeliveryCall.parser(), body);
    }

    /** Executes a call on the owner; completes with the response. */
    public static CompletableFuture<byte[]> execute(DeliveryCall call, TaskOwners owner) {
        return switch (call.getCallCase()) {
            case CLAIM ->
                    owner.claim(
                                    new TaskNotice(
                                            call.getProject(),
                                            call.getDelivery(),
                                            call.getClaim().getCopy(),
                                            0))
                            .thenApply(DeliveryCalls::encode);
            case END ->
                    owner.ended(call.getProject(), call.getDelivery(), result(call.getEnd()))
                            .thenApply(_ -> new byte[0]);
            case CALL_NOT_SET -> throw unknown(null);
        };
    }

    private static DeliveryResult result(DeliveryEnd end) {
        return end.getStatus() == 0
                ? new DeliveryResult.Unanswered(end.getReason())
                : new DeliveryResult.Answered(end.getStatus());
    }

    private static byte[] encode(Optional<Delivery> claimed) {
        if (claimed.isEmpty()) {
            return new byte[0];
        }
        Queue queue = claimed.get().queue();
        Task task = claimed.get().task();
        return ClaimedTask.newBuilder()
                .setQueueName(queue.name())
                .setQueue(TaskCodec.parse(StoredQueue.parser(), TaskCodec.bytes(queue)))
                .setTaskName(task.name())
                .setTask(TaskCodec.parse(StoredTask.parser(), TaskCodec.bytes(task.content())))
                .setState(TaskCodec.parse(StoredState.parser(), TaskCodec.bytes(task.state())))
                .build()
                .toByteArray();
    }

    /** Reads the response to a claim. */
    public static Optional<Delivery> claimed(String project, byte[] response) {
        ClaimedTask claimed = parsed(ClaimedTask.parser(), response);
        if (!claimed.hasTask()) {
            return Optional.empty();
        }
        return Optional.of(
                new Delivery(
                        project,
                        TaskCodec.queue(claimed.getQueueName(), claimed.getQueue().toByteArray()),
                        new Task(
                                claimed.getTaskName(),
                                TaskCodec.content(
                                        claimed.getTask().toByteArray(),
                                        ByteString.EMPTY.toByteArray()),
                                TaskCodec.state(claimed.getState()))));
    }

    private static <M> M parsed(Parser<M> parser, byte[] message) {
        try {
            return parser.parseFrom(message);
        } catch (InvalidProtocolBufferException damaged) {
            throw unknown(damaged);
        }
    }

    private static PetrichorException unknown(@Nullable Throwable cause) {
        return PetrichorException.of(
                ErrorCode.INVALID_ARGUMENT,
                cause,
                "another server sent a message about deliveries that cannot be read; do all"
                        + " servers run the same version?");
    }
}
