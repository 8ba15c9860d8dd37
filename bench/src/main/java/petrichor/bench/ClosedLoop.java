package petrichor.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: a number of clients, each with one operation in flight, for a given time.
 * Latencies are kept exactly, up to {@link #SAMPLES_PER_CLIENT_MAX} each.
 */
public final class ClosedLoop {
    private static final int SAMPLES_PER_CLIENT_MAX = 200_000;

    private ClosedLoop() {}

    /** One operation of one client; an exception ends the run. */
    @FunctionalInterface
    public interface Operation {
        void run(int client, long number) throws Exception;
    }

    public static Sample run(int clients, Duration length, Operation operation) throws Exception {
        return run(clients, length, 0, operation);
    }

    /**
     * @param perSecondMax limit of operations per second of all clients together; 0 for none
     */
    public static Sample run(int clients, Duration length, double perSecondMax, Operation operation)
            throws Exception {
        ConcurrentLinkedQueue<long[]> latencies = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        CountDownLatch start = new CountDownLatch(1);
        long[] deadline = new long[1];
        Thread[] threads = new Thread[clients];
        for (int client = 0; client < clients; client++) {
            int self = client;
            threads[client] =
                    Thread.ofPlatform()
                            .name("bench-client-" + client)
                            .start(
                                    () -> {
                                        try {
                                            start.await();
                                            double pace =
                                                    perSecondMax <= 0
                                                            ? 0
                                                            : clients * 1e9 / perSecondMax;
                                            latencies.add(loop(self, deadline[0], pace, operation));
                                        } catch (Throwable failure) {
                                            failures.add(failure);
                                        }
                                    });
        }
        long began = System.nanoTime();
        deadline[0] = began + length.toNanos();
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        @Nullable Throwable failure = failures.peek();
        if (failure != null) {
            throw new IllegalStateException("an operation failed during the measurement", failure);
        }
        long[] all = latencies.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        if (all.length == 0) {
            return new Sample(0, 0, 0);
        }
        return new Sample(
                all.length / seconds,
                all[all.length / 2] / 1e3,
                all[(int) Math.min(all.length - 1L, all.length * 99L / 100)] / 1e3);
    }

    private static long[] loop(int client, long deadline, double paceNanos, Operation operation)
            throws Exception {
        long[] taken = new long[1024];
        int count = 0;
        long next =
                System.nanoTime() + (long) (paceNanos * Math.floorMod(client * 7919, 100) / 100);
        for (long number = 0; count < SAMPLES_PER_CLIENT_MAX; number++) {
            long now = System.nanoTime();
            if (paceNanos > 0 && now < next) {
                java.util.concurrent.locks.LockSupport.parkNanos(next - now);
                now = System.nanoTime();
            }
            if (now >= deadline) {
                break;
            }
            operation.run(client, number);
            long end = System.nanoTime();
            if (count == taken.length) {
                taken = Arrays.copyOf(taken, taken.length * 2);
            }
            // Latencies of paced clients count from the time at which the operation was due, to
            // avoid coordinated omission.
            taken[count++] = end - (paceNanos > 0 ? Math.min(next, now) : now);
            next += (long) paceNanos;
        }
        return Arrays.copyOf(taken, count);
    }
}
