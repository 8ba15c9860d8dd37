package petrichor.testing.crash;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.testing.simulation.Anomaly;
import petrichor.testing.simulation.Attempt;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.HistoryChecker;

/** Operations and observations of all clients of a test, on one clock. Thread-safe. */
final class ListHistory {
    private final Queue<Attempt> attempts = new ConcurrentLinkedQueue<>();
    private final Map<ErrorCode, Integer> failures = new EnumMap<>(ErrorCode.class);
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();
    private final AtomicLong elements = new AtomicLong();
    private volatile boolean over;

    /** The next value of a monotonic counter. */
    long tick() {
        return clock.incrementAndGet();
    }

    /** A unique element. */
    long nextElement() {
        return elements.incrementAndGet();
    }

    void add(long invoked, Outcome outcome, List<Operation> operations) {
        attempts.add(new Attempt(ids.incrementAndGet(), invoked, tick(), outcome, operations));
    }

    synchronized void failed(PetrichorException failure) {
        failures.merge(failure.code(), 1, Integer::sum);
    }

    synchronized int failures(ErrorCode code) {
        return failures.getOrDefault(code, 0);
    }

    synchronized Map<ErrorCode, Integer> failures() {
        return new EnumMap<>(failures);
    }

    long count(Outcome outcome) {
        return attempts.stream().filter(attempt -> attempt.outcome() == outcome).count();
    }

    void end() {
        over = true;
    }

    boolean over() {
        return over;
    }

    /** The anomalies that no strict serial execution explains. */
    List<Anomaly> anomalies() {
        return HistoryChecker.check(List.copyOf(attempts));
    }
}
