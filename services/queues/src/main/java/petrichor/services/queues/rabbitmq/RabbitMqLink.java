package petrichor.services.queues.rabbitmq;

import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Keeps a {@link RabbitMqSession}: connects again when it ends. Thread-safe. */
final class RabbitMqLink implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RabbitMqLink.class.getName());

    /** Between the end of a session and the next attempt. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final RabbitMqBroker broker;
    private final SessionStart start;

    /** Not shut down, because a connection still uses it after its end. It has no idle threads. */
    private final ExecutorService consumers = Executors.newVirtualThreadPerTaskExecutor();

    private final CountDownLatch stop = new CountDownLatch(1);
    private @Nullable RabbitMqSession session;
    private boolean reported;

    /** Starts a session on a connection. */
    interface SessionStart {
        RabbitMqSession on(Connection connection) throws IOException;
    }

    RabbitMqLink(RabbitMqBroker broker, SessionStart start) {
        this.broker = broker;
        this.start = start;
    }

    /** Begins to connect. */
    void start() {
        Thread.ofVirtual().name("rabbitmq-link").start(this::run);
    }

    private void run() {
        while (!stopped(Duration.ZERO)) {
            try (RabbitMqSession opened = open()) {
                LOG.log(Level.INFO, "Connected to RabbitMQ at {0}", broker);
                reported = false;
                String reason = opened.awaitEnd();
                report(reason);
            } catch (IOException | TimeoutException | RuntimeException failed) {
                report(String.valueOf(failed.getCause() == null ? failed : failed.getCause()));
            }
            if (stopped(PAUSE)) {
                return;
            }
        }
    }

    private RabbitMqSession open() throws IOException, TimeoutException {
        Connection connection = broker.connect(consumers, "petrichor");
        boolean opened = false;
        try {
            RabbitMqSession fresh = start.on(connection);
            opened = true;
            keep(fresh);
            return fresh;
        } finally {
            if (!opened) {
                connection.abort(RabbitMqSession.CLOSE_MILLIS_MAX);
            }
        }
    }

    private synchronized void keep(RabbitMqSession fresh) {
        session = fresh;
        if (stopped(Duration.ZERO)) {
            fresh.close();
        }
    }

    private boolean stopped(Duration within) {
        try {
            return stop.await(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopping) {
            return true;
        }
    }

    /** Once per outage. */
    private void report(String reason) {
        if (!reported && !stopped(Duration.ZERO)) {
            reported = true;
            LOG.log(
                    Level.WARNING,
                    "RabbitMQ at {0} is unreachable, so tasks wait: {1}; check tasks.rabbitmq",
                    broker,
                    reason);
        }
    }

    @Override
    public void close() {
        stop.countDown();
        synchronized (this) {
            if (session != null) {
                session.close();
            }
        }
    }
}
