package petrichor.services.queues.rabbitmq;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import petrichor.services.queues.rabbitmq.wire.NoticeMessage;

/**
 * A message in RabbitMQ: a task is due.
 *
 * @param delivery unique among all servers and restarts
 * @param copy counts the notices of one delivery, from 1
 * @param bytes size of the task
 */
public record TaskNotice(String project, String delivery, int copy, int bytes) {
    byte[] encode() {
        return NoticeMessage.newBuilder()
                .setProject(project)
                .setDelivery(delivery)
                .setCopy(copy)
                .setBytes(bytes)
                .build()
                .toByteArray();
    }

    /** Empty if it is not a notice. */
    static Optional<TaskNotice> decode(byte[] body) {
        try {
            NoticeMessage message = NoticeMessage.parseFrom(body);
            return message.getDelivery().isEmpty() || message.getBytes() < 0
                    ? Optional.empty()
                    : Optional.of(
                            new TaskNotice(
                                    message.getProject(),
                                    message.getDelivery(),
                                    message.getCopy(),
                                    message.getBytes()));
        } catch (InvalidProtocolBufferException foreign) {
            return Optional.empty();
        }
    }
}
