package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;

/** Records all operations and observations of the clients, and runs the checkers. */
final class Journal {
    private record Ended(
            Attempt attempt,
            long version,
            boolean past,
            List<Observation> reads,
            List<RowWrite> writes) {}

    private final List<Ended> ended = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final Map<Long, Integer> appendedBy = new HashMap<>();
    private final Map<Integer, Long> seenVersions = new HashMap<>();
    private final Map<Outcome, Integer> outcomes = new HashMap<>();
    private final List<Long> versions = new ArrayList<>();
    private long now;
    private int ids;
    private long elements;

    /** The next value of a monotonic counter. */
    long tick() {
        return ++now;
    }

    int nextId() {
        return ids++;
    }

    long nextElement() {
        return ++elements;
    }

    void appends(int attempt, long element) {
        appendedBy.put(element, attempt);
    }

    /**
     * A row contains the version that wrote it, which reveals commits that were never acknowledged.
     */
    void saw(String key, @Nullable Row list) {
        if (list == null) {
            return;
        }
        Integer attempt = appendedBy.get(Dataset.elements(list).getLast());
        if (attempt == null) {
            finding(-1, key + " holds an element that no transaction appended");
            return;
        }
        Long before = seenVersions.putIfAbsent(attempt, list.version());
        if (before != null && before != list.version()) {
            finding(attempt, "has rows of versions " + before + " and " + list.version());
        }
    }

    void finding(int attempt, String what) {
        findings.add("attempt " + attempt + ": " + what);
    }

    void ended(
            Attempt attempt,
            long version,
            boolean past,
            List<Observation> reads,
            List<RowWrite> writes) {
        ended.add(new Ended(attempt, version, past, reads, writes));
        outcomes.merge(attempt.outcome(), 1, Integer::sum);
        if (attempt.outcome() == Outcome.COMMITTED && !past) {
            versions.add(version);
        }
    }

    long newestVersion() {
        return versions.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** A version that was reported to a client, or one between two of them. */
    long pastVersion(SeededRandom chance) {
        return Math.max(1, versions.get(chance.below(versions.size())) - chance.below(2));
    }

    /** The versions of acknowledged commits that wrote rows, with their attempts. */
    Map<Long, Integer> acknowledgedWrites() {
        Map<Long, Integer> written = new HashMap<>();
        for (Ended one : ended) {
            if (one.attempt.outcome() == Outcome.COMMITTED && !one.writes.isEmpty()) {
                written.put(one.version, one.attempt.id());
            }
        }
        return written;
    }

    int count(Outcome outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }

    int attempts() {
        return ended.size();
    }

    /** All findings; empty if there are none. */
    List<String> verdict() {
        List<String> verdict = new ArrayList<>(findings);
        List<Attempt> history =
                ended.stream().filter(one -> !one.past).map(Ended::attempt).toList();
        HistoryChecker.check(history).forEach(anomaly -> verdict.add(anomaly.toString()));
        verdict.addAll(SerialReplay.check(entries()));
        return verdict;
    }

    private List<SerialReplay.Entry> entries() {
        List<SerialReplay.Entry> entries = new ArrayList<>();
        for (Ended one : ended) {
            int id = one.attempt.id();
            Long seen = seenVersions.get(id);
            switch (one.attempt.outcome()) {
                case COMMITTED -> {
                    if (seen != null && seen != one.version) {
                        finding(id, "got " + one.version + ", but its rows hold " + seen);
                    }
                    entries.add(entry(one, one.version));
                }
                case UNKNOWN -> {
                    if (seen != null) {
                        entries.add(entry(one, seen));
                    }
                }
                case ABORTED -> {}
            }
        }
        return entries;
    }

    private static SerialReplay.Entry entry(Ended one, long version) {
        return new SerialReplay.Entry(
                one.attempt.id(),
                version,
                !one.past,
                one.attempt.invoked(),
                one.attempt.outcome() == Outcome.COMMITTED ? one.attempt.completed() : null,
                one.reads,
                one.writes);
    }
}
