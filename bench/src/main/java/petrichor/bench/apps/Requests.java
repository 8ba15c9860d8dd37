package petrichor.bench.apps;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import petrichor.bench.stores.Latencies;

/**
 * Requests to an app, each on a virtual thread. Latency counts from the time when a request is due,
 * also if the machine sends it later.
 */
final class Requests {
    /** Sends one. Called by many threads. */
    @FunctionalInterface
    interface Sender {
        /**
         * @return whether the answer was the expected one
         */
        boolean send() throws Exception;
    }

    /**
     * What was sent.
     *
     * @param latencies of all requests, also of those that failed
     */
    record Answers(long sent, long failed, Duration length, Latencies latencies) {
        double perSecond() {
            return sent * 1e9 / length.toNanos();
        }
    }

    private record Answer(boolean expected, long latencyNanos) {}

    private Requests() {}

    /** One after the other, by this many users, until so many have been sent. */
    static Answers closedLoop(int users, long requests, AtomicLong sent, Sender sender)
            throws Exception {
        long from = System.nanoTime();
        List<Answer> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<Answer>>> running = new ArrayList<>();
            for (int i = 0; i < users; i++) {
                running.add(
                        threads.submit(
                                () -> {
                                    List<Answer> own = new ArrayList<>();
                                    while (sent.getAndIncrement() < requests) {
                                        own.add(send(System.nanoTime(), sender));
                                    }
                                    return own;
                                }));
            }
            for (Future<List<Answer>> each : running) {
                all.addAll(each.get());
            }
        }
        return answers(all, from);
    }

    /** At a constant rate, whether former requests are answered or not. */
    static Answers openLoop(int perSecond, Duration length, Sender sender) throws Exception {
        long from = System.nanoTime();
        long count = Math.round(perSecond * (length.toNanos() / 1e9));
        List<Answer> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> running = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                long due = from + length.toNanos() * i / count;
                for (long left = due - System.nanoTime();
                        left > 0;
                        left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                running.add(threads.submit(() -> send(due, sender)));
            }
            for (Future<Answer> each : running) {
                all.add(each.get());
            }
        }
        return answers(all, from);
    }

    private static Answer send(long due, Sender sender) {
        boolean expected;
        try {
            expected = sender.send();
        } catch (Exception failed) {
            // A connection that is refused or ends is a failed request like any other.
            expected = false;
        }
        return new Answer(expected, System.nanoTime() - due);
    }

    private static Answers answers(List<Answer> all, long from) {
        Latencies latencies = new Latencies();
        all.forEach(answer -> latencies.add(answer.latencyNanos()));
        return new Answers(
                all.size(),
                all.stream().filter(answer -> !answer.expected()).count(),
                Duration.ofNanos(System.nanoTime() - from),
                latencies);
    }
}
