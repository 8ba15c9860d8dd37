package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;

/**
 * The second checker: takes the versions that the system assigned to its commits, executes them
 * serially in that order on an ordinary map, and compares the results of their reads. It covers
 * more than {@link HistoryChecker} (deleted rows, index rows, versions of rows, reads in the past),
 * but trusts the assigned versions.
 */
final class SerialReplay {
    /**
     * A committed transaction or a snapshot.
     *
     * @param version of the commit, or of the snapshot if nothing is written
     * @param completed null if no client got a response
     */
    record Entry(
            int attempt,
            long version,
            boolean strict,
            long invoked,
            @Nullable Long completed,
            List<Observation> reads,
            List<RowWrite> writes) {}

    private final TreeMap<byte[], Row> state = new TreeMap<>(Bytes::compare);
    private final List<String> findings = new ArrayList<>();

    private SerialReplay() {}

    /** Describes all inconsistencies. */
    static List<String> check(List<Entry> entries) {
        SerialReplay replay = new SerialReplay();
        // A snapshot sees the commit of its own version; a commit does not see itself.
        entries.stream()
                .sorted(
                        Comparator.comparingLong(Entry::version)
                                .thenComparing(entry -> entry.writes().isEmpty()))
                .forEach(replay::step);
        replay.realTime(entries);
        return replay.findings;
    }

    private void step(Entry entry) {
        for (Observation read : entry.reads) {
            compare(entry, read);
        }
        for (RowWrite write : entry.writes) {
            byte[] value = write.value();
            Row there = state.get(write.key());
            if (there != null && there.version() == entry.version) {
                findings.add("version " + entry.version + " was given out twice");
            }
            if (value == null) {
                state.remove(write.key());
            } else {
                state.put(write.key(), new Row(write.key(), entry.version, value));
            }
        }
    }

    private void compare(Entry entry, Observation read) {
        byte[] to = read.seen().to();
        List<Row> there =
                List.copyOf(
                        (to == null
                                        ? state.tailMap(read.seen().from())
                                        : state.subMap(read.seen().from(), to))
                                .values());
        boolean same = there.size() == read.rows().size();
        for (int at = 0; same && at < there.size(); at++) {
            same = equal(there.get(at), read.rows().get(at));
        }
        if (!same) {
            findings.add(
                    "attempt "
                            + entry.attempt
                            + " at version "
                            + entry.version
                            + " saw "
                            + text(read.rows())
                            + " in "
                            + read.seen()
                            + ", a serial execution has "
                            + text(there));
        }
    }

    private static boolean equal(Row one, Row other) {
        return one.version() == other.version()
                && Arrays.equals(one.key(), other.key())
                && Arrays.equals(one.value(), other.value());
    }

    private static String text(List<Row> rows) {
        return rows.stream()
                .map(
                        row ->
                                new String(row.key(), java.nio.charset.StandardCharsets.UTF_8)
                                        + "@"
                                        + row.version())
                .toList()
                .toString();
    }

    /** A transaction that started after another was acknowledged must have a higher version. */
    private void realTime(List<Entry> entries) {
        List<Entry> told =
                entries.stream()
                        .filter(entry -> entry.completed != null && entry.strict)
                        .sorted(Comparator.comparingLong(SerialReplay::completedOf))
                        .toList();
        List<Entry> started =
                entries.stream()
                        .filter(Entry::strict)
                        .sorted(Comparator.comparingLong(Entry::invoked))
                        .toList();
        int next = 0;
        long newest = 0;
        for (Entry entry : started) {
            while (next < told.size() && completedOf(told.get(next)) < entry.invoked) {
                newest = Math.max(newest, told.get(next).version);
                next++;
            }
            if (entry.version < newest || (entry.version == newest && !entry.writes.isEmpty())) {
                findings.add(
                        "attempt "
                                + entry.attempt
                                + " has version "
                                + entry.version
                                + ", although "
                                + newest
                                + " was acknowledged before it began");
            }
        }
    }

    private static long completedOf(Entry entry) {
        return entry.completed == null ? Long.MAX_VALUE : entry.completed;
    }
}
