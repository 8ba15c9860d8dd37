package petrichor.bench.apps;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import petrichor.bench.stores.Latencies;

/**
 * Users who arrive evenly over a load until all are there, as in seed 000 (3.4.1): each sends one
 * request after the other. What is not answered at the end is not counted.
 *
 * @param answers in any order
 */
record UserRamp(int users, Duration length, List<UserAnswer> answers) {
    private static final Duration END_WITHIN = Duration.ofSeconds(10);

    /** A user who gets an error comes back after this, as a closed loop would spin. */
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    UserRamp {
        answers = List.copyOf(answers);
    }

    /** One user's next request. */
    @FunctionalInterface
    interface Visit {
        /**
         * @return bytes of the expected answer; negative if there was another one
         */
        long send(int user) throws Exception;
    }

    /**
     * One answer.
     *
     * @param second when it arrived, from the beginning
     */
    record UserAnswer(double second, double millis, boolean expected, long bytes) {}

    /** The answers of a part of the load. */
    record Interval(
            double second,
            int users,
            long answers,
            long failed,
            double perSecond,
            Latencies times) {}

    static UserRamp run(int users, Duration length, Visit visit) throws InterruptedException {
        ConcurrentLinkedQueue<UserAnswer> answers = new ConcurrentLinkedQueue<>();
        long from = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < users; i++) {
                int user = i;
                long arrives = from + length.toNanos() * i / users;
                threads.execute(() -> visit(user, arrives, from, length, visit, answers));
            }
            threads.shutdown();
            if (!threads.awaitTermination(length.toNanos(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
                boolean _ = threads.awaitTermination(END_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
            }
        }
        return new UserRamp(users, length, List.copyOf(answers));
    }

    private static void visit(
            int user,
            long arrives,
            long from,
            Duration length,
            Visit visit,
            ConcurrentLinkedQueue<UserAnswer> answers) {
        LockSupport.parkNanos(arrives - System.nanoTime());
        while (!Thread.currentThread().isInterrupted()) {
            long sent = System.nanoTime();
            long bytes;
            try {
                bytes = visit.send(user);
            } catch (InterruptedException end) {
                return;
            } catch (Exception failed) {
                bytes = -1;
            }
            long now = System.nanoTime();
            if (now - from > length.toNanos()) {
                return;
            }
            answers.add(
                    new UserAnswer(
                            (now - from) / 1e9,
                            (now - sent) / 1e6,
                            bytes >= 0,
                            Math.max(0, bytes)));
            if (bytes < 0) {
                LockSupport.parkNanos(AFTER_FAILURE.toNanos());
            }
        }
    }

    /** Of equal length, in their order. */
    List<Interval> intervals(int count) {
        double each = length.toNanos() / 1e9 / count;
        List<Interval> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double begin = i * each;
            double end = begin + each;
            all.add(interval(begin, end));
        }
        return all;
    }

    private Interval interval(double begin, double end) {
        Latencies times = new Latencies();
        long failed = 0;
        for (UserAnswer answer : answers) {
            if (answer.second() >= begin && answer.second() < end) {
                times.add((long) (answer.millis() * 1e6));
                failed += answer.expected() ? 0 : 1;
            }
        }
        double seconds = length.toNanos() / 1e9;
        return new Interval(
                end,
                Math.min(users, (int) Math.ceil(users * end / seconds)),
                times.count(),
                failed,
                (times.count() - failed) / (end - begin),
                times);
    }

    /** The last part, when most users are there. */
    Interval end() {
        double seconds = length.toNanos() / 1e9;
        return interval(seconds * 2 / 3, seconds);
    }

    long failed() {
        return answers.stream().filter(answer -> !answer.expected()).count();
    }

    double bytesPerAnswer() {
        return answers.stream().mapToLong(UserAnswer::bytes).average().orElse(0);
    }
}
