package petrichor.services.queues.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import petrichor.base.TimeSource;

/**
 * One connection to RabbitMQ: publishes and consumes notices. It ends with the connection, and also
 * when the queue is deleted; the next session declares the queue again. Thread-safe.
 */
final class RabbitMqSession implements AutoCloseable {
    /** The notices of all projects. */
    static final String QUEUE = "petrichor.tasks";

    /** For the end of a connection, which RabbitMQ may not answer. */
    static final int CLOSE_MILLIS_MAX = 1_000;

    private final Connection connection;
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private final NoticePublisher publisher;

    /**
     * Starts to publish and to consume.
     *
     * @param connection owned by the session if this succeeds
     * @param prefetch notices that this server has in progress
     */
    RabbitMqSession(
            Connection connection,
            int prefetch,
            NoticeOutbox outbox,
            Deliverer deliverer,
            TimeSource time)
            throws IOException {
        this.connection = connection;
        connection.addShutdownListener(cause -> end.complete(String.valueOf(cause.getMessage())));
        if (!exists()) {
            // RabbitMQ has lost its data, or has never been used.
            outbox.allLost();
        }
        Channel publishing = connection.createChannel();
        // Durable, of the type that is the default of the virtual host.
        publishing.queueDeclare(QUEUE, true, false, false, Map.of());
        publishing.addReturnListener(_ -> end("the queue " + QUEUE + " was deleted"));
        publishing.addShutdownListener(cause -> end(String.valueOf(cause.getMessage())));
        Channel consuming = connection.createChannel();
        consuming.addShutdownListener(cause -> end(String.valueOf(cause.getMessage())));
        consuming.basicQos(prefetch);
        consuming.basicConsume(QUEUE, false, new NoticeConsumer(consuming, deliverer));
        // Last: from now on, tasks are dispatched.
        this.publisher =
                NoticePublisher.start(
                        publishing, QUEUE, outbox, time, () -> end("notices cannot be published"));
    }

    private boolean exists() throws IOException {
        // A failure closes the channel, so it has one of its own.
        Channel probe = connection.createChannel();
        try {
            probe.queueDeclarePassive(QUEUE);
            probe.abort();
            return true;
        } catch (IOException failed) {
            if (failed.getCause() instanceof ShutdownSignalException signal
                    && signal.getReason() instanceof AMQP.Channel.Close close
                    && close.getReplyCode() == AMQP.NOT_FOUND) {
                return false;
            }
            throw failed;
        }
    }

    private void end(String reason) {
        end.complete(reason);
    }

    /** Waits for the end; returns its reason. */
    String awaitEnd() {
        return end.join();
    }

    private final class NoticeConsumer extends DefaultConsumer {
        private final Deliverer deliverer;

        NoticeConsumer(Channel channel, Deliverer deliverer) {
            super(channel);
            this.deliverer = deliverer;
        }

        @Override
        public void handleDelivery(
                String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
                throws IOException {
            var notice = TaskNotice.decode(body);
            if (notice.isEmpty()) {
                getChannel().basicAck(envelope.getDeliveryTag(), false);
            } else {
                deliverer.received(
                        new ConsumedNotice(getChannel(), envelope.getDeliveryTag(), notice.get()));
            }
        }

        @Override
        public void handleCancel(String tag) {
            end("the queue " + QUEUE + " was deleted");
        }
    }

    private record ConsumedNotice(Channel channel, long tag, TaskNotice notice) implements Receipt {
        @Override
        public void acknowledge() {
            try {
                channel.basicAck(tag, false);
            } catch (IOException | AlreadyClosedException ended) {
                // RabbitMQ delivers the notice again, and its owner refuses it.
            }
        }

        @Override
        public void reject() {
            try {
                channel.basicReject(tag, true);
            } catch (IOException | AlreadyClosedException ended) {
                // RabbitMQ delivers the notice again.
            }
        }
    }

    /** Does not wait for RabbitMQ. */
    @Override
    public void close() {
        publisher.close();
        end("closed");
        connection.abort(CLOSE_MILLIS_MAX);
    }
}
