package petrichor.bench.stores;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A closed loop of clients, each with one operation in flight. Failures are counted and do not end
 * the load, unless nearly all operations fail; aborts by conflicts are counted separately.
 */
final class Load {
    private static final System.Logger LOG = System.getLogger(Load.class.getName());

    /**
     * A client with this many consecutive failures stops, so that an unreachable store ends the
     * load.
     */
    private static final int FAILURES_IN_A_ROW_MAX = 20;

    /** One operation of one client; false ends the client's load. */
    @FunctionalInterface
    interface Operation {
        boolean once(int client);
    }

    /**
     * The result of a load.
     *
     * @param seconds from the first operation to the last
     * @param aborted transactions aborted by conflicts
     * @param failures number of failures, by their text
     */
    record Result(
            Latencies latencies, double seconds, long aborted, Map<String, AtomicLong> failures) {
        double perSecond() {
            return seconds == 0 ? 0 : latencies.count() / seconds;
        }

        long failed() {
            return failures.values().stream().mapToLong(AtomicLong::get).sum();
        }
    }

    private final Latencies latencies = new Latencies();
    private final AtomicLong aborted = new AtomicLong();
    private final Map<String, AtomicLong> failures = new ConcurrentHashMap<>();
    private final long lengthNanos;
    private volatile long deadline;

    private Load(Duration length) {
        this.lengthNanos = length.toNanos();
    }

    /** Returns when all clients have finished the operations that they started in time. */
    static Result run(int clients, Duration length, Operation operation) {
        return new Load(length).run(clients, operation);
    }

    private Result run(int clients, Operation operation) {
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            int client = i;
            // Platform threads, like those that run the servers' calls.
            threads[i] =
                    Thread.ofPlatform()
                            .name("bench-client-" + client)
                            .start(() -> beClient(client, start, operation));
        }
        long began = System.nanoTime();
        deadline = began + lengthNanos;
        start.countDown();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            deadline = System.nanoTime();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        return new Result(latencies, seconds, aborted.get(), Map.copyOf(failures));
    }

    private void beClient(int client, CountDownLatch start, Operation operation) {
        Latencies own = new Latencies();
        try {
            start.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return;
        }
        int failedInARow = 0;
        // At least one operation, or a short point on a busy machine would have no samples.
        do {
            long began = System.nanoTime();
            try {
                if (!operation.once(client)) {
                    break;
                }
                own.add(System.nanoTime() - began);
                failedInARow = 0;
            } catch (PetrichorException lost) {
                if (lost.code() == ErrorCode.ABORTED) {
                    aborted.incrementAndGet();
                } else {
                    failedInARow++;
                    note(lost);
                }
            } catch (RuntimeException failed) {
                failedInARow++;
                note(failed);
            }
        } while (System.nanoTime() < deadline && failedInARow < FAILURES_IN_A_ROW_MAX);
        synchronized (latencies) {
            latencies.add(own);
        }
    }

    private void note(RuntimeException failure) {
        String what =
                failure instanceof PetrichorException ? failure.getMessage() : failure.toString();
        AtomicLong times = failures.computeIfAbsent(String.valueOf(what), _ -> new AtomicLong());
        if (times.incrementAndGet() == 1 && !(failure instanceof PetrichorException)) {
            LOG.log(System.Logger.Level.WARNING, "an operation failed", failure);
        }
    }
}
