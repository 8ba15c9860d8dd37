package petrichor.services.queues.rabbitmq;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import petrichor.base.TimeSource;

/**
 * Publishes the notices of an {@link NoticeOutbox} on one connection. One thread publishes, because
 * a write blocks while RabbitMQ is paused. What is not confirmed when the connection ends returns
 * to the outbox. Thread-safe.
 */
final class NoticePublisher {
    private final Channel channel;
    private final String queue;
    private final NoticeOutbox outbox;
    private final TimeSource time;
    private final Runnable ended;
    private final Thread thread;

    /** By publisher sequence number. */
    private final ConcurrentSkipListMap<Long, Sent> unconfirmed = new ConcurrentSkipListMap<>();

    private volatile boolean blocked;
    private volatile boolean closed;

    private record Sent(Publication publication, long nanos) {}

    private NoticePublisher(
            Channel channel, String queue, NoticeOutbox outbox, TimeSource time, Runnable ended) {
        this.channel = channel;
        this.queue = queue;
        this.outbox = outbox;
        this.time = time;
        this.ended = ended;
        this.thread = Thread.ofVirtual().name("rabbitmq-publisher").unstarted(this::run);
    }

    /**
     * @param channel on which nothing else is published
     * @param ended called when nothing more is published
     */
    static NoticePublisher start(
            Channel channel, String queue, NoticeOutbox outbox, TimeSource time, Runnable ended)
            throws IOException {
        NoticePublisher publisher = new NoticePublisher(channel, queue, outbox, time, ended);
        channel.confirmSelect();
        channel.addConfirmListener(
                (number, multiple) -> publisher.taken(number, multiple).clear(),
                (number, multiple) -> publisher.refused(number, multiple));
        channel.getConnection()
                .addBlockedListener(_ -> publisher.blocked = true, () -> publisher.blocked = false);
        publisher.thread.start();
        outbox.connected(publisher);
        return publisher;
    }

    private Map<Long, Sent> taken(long number, boolean multiple) {
        return multiple
                ? unconfirmed.headMap(number, true)
                : unconfirmed.subMap(number, true, number, true);
    }

    private void refused(long number, boolean multiple) {
        Map<Long, Sent> refused = taken(number, multiple);
        refused.values().forEach(sent -> outbox.lost(sent.publication()));
        refused.clear();
    }

    /** Whether the connection is open, and the oldest notice without a confirm is recent. */
    boolean accepting(Duration confirmMax) {
        Map.Entry<Long, Sent> oldest = unconfirmed.firstEntry();
        return !closed
                && !blocked
                && (oldest == null
                        || time.monotonicNanos() - oldest.getValue().nanos()
                                <= confirmMax.toNanos());
    }

    int unconfirmed() {
        return unconfirmed.size();
    }

    private void run() {
        try {
            while (!closed) {
                publish(outbox.next());
            }
        } catch (IOException | AlreadyClosedException lost) {
            // The link reports it and connects again.
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            outbox.disconnected(this);
            outbox.again(unconfirmed.values().stream().map(Sent::publication).toList());
            ended.run();
        }
    }

    private void publish(Publication publication) throws IOException {
        long nowNanos = time.monotonicNanos();
        unconfirmed.put(channel.getNextPublishSeqNo(), new Sent(publication, nowNanos));
        channel.basicPublish(
                "",
                queue,
                true,
                MessageProperties.PERSISTENT_BASIC,
                publication.nextNotice(nowNanos).encode());
    }

    /** The connection has ended. */
    void close() {
        closed = true;
        outbox.disconnected(this);
        thread.interrupt();
    }
}
