package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import petrichor.testing.simulation.Anomaly.Kind;
import petrichor.testing.simulation.Attempt.Append;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.Attempt.Read;
import petrichor.testing.simulation.Attempt.Scan;
import petrichor.testing.simulation.DependencyGraph.Dependency;
import petrichor.testing.simulation.VersionOrder.Seen;

/**
 * Checks whether a history is strictly serializable. Derives the order of each key's versions from
 * the lists that were read, builds the graph of dependencies (including real time), and searches it
 * for cycles. The idea is that of Elle (Kingsbury and Alvaro, VLDB 2020), extended by ranges: a
 * scan also reads the absent keys of its range.
 *
 * <p>An empty result covers only what was read, so a history should end with a read of everything.
 * Linear in the size of the history except for cycles. Stateless.
 */
public final class HistoryChecker {
    private final List<Attempt> history;
    private final List<Anomaly> anomalies = new ArrayList<>();
    private final Map<Long, Write> writes = new HashMap<>();
    private final Set<String> keys = new TreeSet<>();
    private final Map<Integer, Integer> nodes = new LinkedHashMap<>();

    /** The transaction that appended an element, and whether it was its last append to the key. */
    private record Write(Attempt writer, String key, boolean last) {}

    private HistoryChecker(List<Attempt> history) {
        this.history = history;
    }

    /** The anomalies that no strict serial execution explains. */
    public static List<Anomaly> check(List<Attempt> history) {
        return new HistoryChecker(history).check();
    }

    private List<Anomaly> check() {
        history.forEach(this::indexAppends);
        List<Seen> seen = new ArrayList<>();
        for (Attempt attempt : history) {
            if (attempt.outcome() == Outcome.COMMITTED) {
                seen.addAll(seenBy(attempt));
            }
        }
        VersionOrder order = VersionOrder.of(seen, anomalies);
        seen.forEach(this::checkElements);
        List<Attempt> committed = committed(seen);
        checkLostUpdates(committed);
        if (anomalies.isEmpty()) {
            DependencyGraph graph = graph(committed, seen, order);
            checkLostAppends(committed, seen, order);
            if (anomalies.isEmpty()) {
                anomalies.addAll(graph.anomalies());
            }
        }
        return List.copyOf(anomalies);
    }

    private void indexAppends(Attempt attempt) {
        Map<String, Long> lastOfKey = new HashMap<>();
        for (Operation operation : attempt.operations()) {
            switch (operation) {
                case Append(String key, long element) -> lastOfKey.put(key, element);
                case Read(String key, var elements) -> keys.add(key);
                case Scan scan -> keys.addAll(scan.lists().keySet());
            }
        }
        keys.addAll(lastOfKey.keySet());
        for (Append append : appends(attempt)) {
            boolean last = Objects.equals(lastOfKey.get(append.key()), append.element());
            if (writes.put(append.element(), new Write(attempt, append.key(), last)) != null) {
                throw new IllegalArgumentException(
                        "the history appends " + append.element() + " twice; elements are unique");
            }
        }
    }

    private static List<Append> appends(Attempt attempt) {
        return attempt.operations().stream()
                .filter(Append.class::isInstance)
                .map(Append.class::cast)
                .toList();
    }

    /** Each key that an attempt saw, once; a key seen in two states is an anomaly. */
    private List<Seen> seenBy(Attempt attempt) {
        Map<String, Seen> seen = new LinkedHashMap<>();
        for (Operation operation : attempt.operations()) {
            switch (operation) {
                case Append append -> {}
                case Read(String key, List<Long> elements) ->
                        addSeen(seen, new Seen(attempt, key, elements, false));
                case Scan scan -> {
                    for (String key : keys) {
                        if (scan.covers(key)) {
                            List<Long> elements = scan.lists().getOrDefault(key, List.of());
                            addSeen(seen, new Seen(attempt, key, elements, true));
                        }
                    }
                }
            }
        }
        return List.copyOf(seen.values());
    }

    private void addSeen(Map<String, Seen> seen, Seen now) {
        Seen before = seen.putIfAbsent(now.key(), now);
        if (before != null && !before.elements().equals(now.elements())) {
            report(
                    Kind.INTERNAL,
                    now.reader(),
                    "saw " + now.key() + " = " + before.elements() + " and " + now.elements());
        }
    }

    private void checkElements(Seen seen) {
        for (long element : seen.elements()) {
            Write write = writes.get(element);
            if (write == null || !write.key.equals(seen.key())) {
                report(
                        Kind.GARBAGE_READ,
                        seen.reader(),
                        "saw "
                                + element
                                + " in "
                                + seen.key()
                                + "; no transaction appended it there");
            } else if (write.writer.id() == seen.reader().id()) {
                report(Kind.INTERNAL, seen.reader(), "saw its own append " + element);
            } else if (write.writer.outcome() == Outcome.ABORTED) {
                report(
                        Kind.G1A,
                        seen.reader(),
                        "saw " + element + " of attempt " + write.writer.id() + ", which aborted");
            }
        }
        if (!seen.elements().isEmpty()) {
            long newest = seen.elements().getLast();
            Write write = writes.get(newest);
            if (write != null && !write.last && write.writer.id() != seen.reader().id()) {
                report(
                        Kind.G1B,
                        seen.reader(),
                        "saw only the first part of what attempt "
                                + write.writer.id()
                                + " appended to "
                                + seen.key());
            }
        }
    }

    /** The acknowledged attempts, and those of unknown outcome whose appends were read. */
    private List<Attempt> committed(List<Seen> seen) {
        Set<Long> seenElements = new HashSet<>();
        seen.forEach(read -> seenElements.addAll(read.elements()));
        return history.stream()
                .filter(
                        attempt ->
                                switch (attempt.outcome()) {
                                    case COMMITTED -> true;
                                    case ABORTED -> false;
                                    case UNKNOWN ->
                                            appends(attempt).stream()
                                                    .map(Append::element)
                                                    .anyMatch(seenElements::contains);
                                })
                .toList();
    }

    private void checkLostUpdates(List<Attempt> committed) {
        record State(String key, List<Long> elements) {}
        Map<State, Attempt> updatedBy = new HashMap<>();
        for (Attempt attempt : committed) {
            Set<String> appendedTo = new HashSet<>();
            appends(attempt).forEach(append -> appendedTo.add(append.key()));
            for (Seen seen : seenBy(attempt)) {
                if (appendedTo.contains(seen.key())) {
                    Attempt other = updatedBy.put(new State(seen.key(), seen.elements()), attempt);
                    if (other != null) {
                        report(
                                Kind.LOST_UPDATE,
                                attempt,
                                "and attempt "
                                        + other.id()
                                        + " both appended to "
                                        + seen.key()
                                        + " = "
                                        + seen.elements());
                    }
                }
            }
        }
    }

    private void checkLostAppends(List<Attempt> committed, List<Seen> seen, VersionOrder order) {
        Map<String, Seen> latestRead = new HashMap<>();
        for (Seen read : seen) {
            latestRead.merge(
                    read.key(),
                    read,
                    (one, other) ->
                            one.reader().invoked() >= other.reader().invoked() ? one : other);
        }
        for (Attempt attempt : committed) {
            for (Append append : appends(attempt)) {
                Seen read = latestRead.get(append.key());
                if (attempt.outcome() == Outcome.COMMITTED
                        && read != null
                        && read.reader().invoked() > attempt.completed()
                        && !order.of(append.key()).contains(append.element())) {
                    report(
                            Kind.LOST_APPEND,
                            attempt,
                            "appended "
                                    + append.element()
                                    + " to "
                                    + append.key()
                                    + ", which attempt "
                                    + read.reader().id()
                                    + " later saw as "
                                    + read.elements());
                }
            }
        }
    }

    private DependencyGraph graph(List<Attempt> committed, List<Seen> seen, VersionOrder order) {
        Map<Integer, String> names = new HashMap<>();
        for (Attempt attempt : committed) {
            nodes.put(attempt.id(), nodes.size());
            names.put(names.size(), "attempt " + attempt.id());
        }
        DependencyGraph graph = new DependencyGraph(names::get);
        Map<String, List<Attempt>> unseen = unseenWriters(committed, order);
        for (String key : keys) {
            List<Long> elements = order.of(key);
            for (int at = 1; at < elements.size(); at++) {
                add(graph, writer(elements, at - 1), writer(elements, at), Dependency.WRITE_WRITE);
            }
            for (Attempt writer : unseen.getOrDefault(key, List.of())) {
                if (!elements.isEmpty()) {
                    Attempt last = writer(elements, elements.size() - 1);
                    add(graph, last, writer, Dependency.WRITE_WRITE);
                }
            }
        }
        for (Seen read : seen) {
            List<Long> elements = order.of(read.key());
            int length = read.elements().size();
            Dependency overwritten =
                    read.byRange() ? Dependency.RANGE_READ_WRITE : Dependency.READ_WRITE;
            if (length > 0) {
                add(graph, writer(elements, length - 1), read.reader(), Dependency.WRITE_READ);
            }
            if (length < elements.size()) {
                add(graph, read.reader(), writer(elements, length), overwritten);
            } else {
                for (Attempt writer : unseen.getOrDefault(read.key(), List.of())) {
                    add(graph, read.reader(), writer, overwritten);
                }
            }
        }
        addRealTime(graph, committed);
        return graph;
    }

    private Attempt writer(List<Long> elements, int at) {
        return Objects.requireNonNull(writes.get(elements.get(at))).writer;
    }

    /** Committed appends that no read saw; they follow all appends to their key that were seen. */
    private static Map<String, List<Attempt>> unseenWriters(
            List<Attempt> committed, VersionOrder order) {
        Map<String, List<Attempt>> unseen = new HashMap<>();
        for (Attempt attempt : committed) {
            for (Append append : appends(attempt)) {
                if (!order.of(append.key()).contains(append.element())) {
                    unseen.computeIfAbsent(append.key(), key -> new ArrayList<>()).add(attempt);
                }
            }
        }
        return unseen;
    }

    private void add(DependencyGraph graph, Attempt from, Attempt to, Dependency why) {
        if (from.id() != to.id()) {
            graph.add(node(from), node(to), why);
        }
    }

    private int node(Attempt attempt) {
        return Objects.requireNonNull(nodes.get(attempt.id()));
    }

    /**
     * Every completed attempt precedes all attempts that started later. One node per completion
     * time keeps the number of edges linear.
     */
    private void addRealTime(DependencyGraph graph, List<Attempt> committed) {
        List<Attempt> completed =
                committed.stream()
                        .filter(attempt -> attempt.outcome() == Outcome.COMMITTED)
                        .sorted(Comparator.comparingLong(Attempt::completed))
                        .toList();
        List<Attempt> invoked =
                committed.stream().sorted(Comparator.comparingLong(Attempt::invoked)).toList();
        int firstMoment = committed.size();
        int moments = 0;
        for (Attempt attempt : invoked) {
            while (moments < completed.size()
                    && completed.get(moments).completed() < attempt.invoked()) {
                int moment = firstMoment + moments;
                graph.add(node(completed.get(moments)), moment, Dependency.REAL_TIME);
                if (moments > 0) {
                    graph.add(moment - 1, moment, Dependency.REAL_TIME);
                }
                moments++;
            }
            if (moments > 0) {
                graph.add(firstMoment + moments - 1, node(attempt), Dependency.REAL_TIME);
            }
        }
    }

    private void report(Kind kind, Attempt attempt, String text) {
        anomalies.add(new Anomaly(kind, "attempt " + attempt.id() + " " + text));
    }
}
