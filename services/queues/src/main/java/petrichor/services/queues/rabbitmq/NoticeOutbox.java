package petrichor.services.queues.rabbitmq;

import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;

/**
 * Transactional outbox: the deliveries that the dispatchers of this process have started, until
 * their results are known. It is in memory only, because the rows of tasks are what it publishes;
 * the dispatchers bound its size. Answers claims and reports about these deliveries. Thread-safe.
 */
final class NoticeOutbox implements TaskOwners {
    /** Without confirms for this long, RabbitMQ is taken for unreachable. */
    private static final Duration CONFIRM_MAX = Duration.ofSeconds(2);

    private static final int PREFIX_BYTES = 12;

    private final TimeSource time;
    private final String prefix;
    private final AtomicLong sequence = new AtomicLong();
    private final ConcurrentMap<String, Publication> publications = new ConcurrentHashMap<>();

    /** To be published; a publication that has ended meanwhile is skipped. */
    private final BlockingQueue<Publication> ready = new LinkedBlockingQueue<>();

    private final LongAdder republished = new LongAdder();
    private volatile @Nullable NoticePublisher publisher;

    /**
     * @param random distinguishes this process from all others
     */
    NoticeOutbox(TimeSource time, RandomGenerator random) {
        this.time = time;
        byte[] bytes = new byte[PREFIX_BYTES];
        random.nextBytes(bytes);
        this.prefix = HexFormat.of().formatHex(bytes) + "-";
    }

    /** Starts a delivery; does not block. */
    CompletableFuture<DeliveryResult> add(Delivery delivery) {
        Publication publication = new Publication(prefix + sequence.incrementAndGet(), delivery);
        publications.put(publication.id(), publication);
        ready.add(publication);
        return publication.result();
    }

    /** Whether RabbitMQ takes notices now. */
    boolean accepting() {
        NoticePublisher current = publisher;
        return current != null && current.accepting(CONFIRM_MAX);
    }

    void connected(NoticePublisher current) {
        publisher = current;
    }

    void disconnected(NoticePublisher former) {
        if (publisher == former) {
            publisher = null;
        }
    }

    /** The next publication whose notice is to be published; waits for it. */
    Publication next() throws InterruptedException {
        while (true) {
            Publication next = ready.take();
            if (next.waiting()) {
                return next;
            }
        }
    }

    /** These notices were not confirmed, and are published on the next connection. */
    void again(Collection<Publication> unconfirmed) {
        ready.addAll(unconfirmed);
    }

    /** RabbitMQ refused this notice, or lost all that are not claimed. */
    void lost(Publication publication) {
        publication.lost(time.monotonicNanos());
    }

    void allLost() {
        publications.values().forEach(this::lost);
    }

    /** Publishes further copies of notices that were lost. */
    void sweep() {
        if (!accepting()) {
            // A notice that waits for RabbitMQ is not lost.
            return;
        }
        long nowNanos = time.monotonicNanos();
        for (Publication publication : publications.values()) {
            if (publication.renew(nowNanos)) {
                republished.increment();
                ready.add(publication);
            }
        }
    }

    @Override
    public CompletableFuture<Optional<Delivery>> claim(TaskNotice notice) {
        return CompletableFuture.completedFuture(
                Optional.ofNullable(publications.get(notice.delivery()))
                        .filter(known -> known.claim(notice.copy(), time.monotonicNanos()))
                        .map(Publication::delivery));
    }

    @Override
    public CompletableFuture<Void> ended(String project, String delivery, DeliveryResult result) {
        Publication known = publications.remove(delivery);
        if (known != null) {
            known.result().complete(result);
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Ends the deliveries of a project that this process no longer dispatches. */
    void abandon(String project) {
        publications
                .values()
                .removeIf(
                        publication -> {
                            boolean gone = publication.project().equals(project);
                            if (gone) {
                                publication
                                        .result()
                                        .completeExceptionally(
                                                new CancellationException(
                                                        "another server owns the project"));
                            }
                            return gone;
                        });
    }

    /**
     * @param delivered by the deliverer of this process
     */
    RabbitMqCounts counts(long delivered) {
        NoticePublisher current = publisher;
        return new RabbitMqCounts(
                accepting(),
                (int) publications.values().stream().filter(Publication::waiting).count(),
                current == null ? 0 : current.unconfirmed(),
                republished.sum(),
                delivered);
    }
}
