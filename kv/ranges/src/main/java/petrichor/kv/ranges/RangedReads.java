package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Reads rows by key from their current partitions. Thread-safe. */
final class RangedReads {
    /** The directory cannot change this often between two reads of it. */
    private static final int ROUNDS_MAX = 100;

    /** Keys per request: their values arrive in one response. */
    private static final int KEYS_PER_REQUEST = 100;

    private final PartitionedRows rows;
    private final RangeDirectory directory;
    private final Backoff backoff;
    private final RangeLimits limits;

    RangedReads(
            PartitionedRows rows, RangeDirectory directory, RangeLimits limits, Backoff backoff) {
        this.rows = rows;
        this.directory = directory;
        this.limits = limits;
        this.backoff = backoff;
    }

    byte @Nullable [] get(String table, byte[] key) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            RangeEntry line = directory.of(table).at(key);
            PartitionedRows.Values read = Replies.await(rows.read(line.partition(), List.of(key)));
            if (holds(table, line, read.state())) {
                return read.values().getFirst();
            }
        }
        throw restless(table);
    }

    byte @Nullable [] linearizable(String table, byte[] key) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            RangeEntry line = directory.of(table).at(key);
            PartitionedRows.Values read =
                    Replies.await(rows.readLinearizably(line.partition(), key));
            if (holds(table, line, read.state())) {
                return read.values().getFirst();
            }
        }
        throw restless(table);
    }

    List<byte @Nullable []> get(String table, List<byte[]> keys) {
        byte[] @Nullable [] values = new byte[keys.size()][];
        List<Integer> wanted = new ArrayList<>();
        for (int at = 0; at < keys.size(); at++) {
            wanted.add(at);
        }
        RangeMap map = directory.of(table);
        for (int round = 0; round < ROUNDS_MAX && !wanted.isEmpty(); round++) {
            map = directory.of(table);
            wanted = missing(table, map, keys, wanted, values);
        }
        if (!wanted.isEmpty()) {
            throw restless(table);
        }
        return Arrays.asList(values);
    }

    /**
     * Sends a few requests per partition, in parallel; returns the keys that must be read again.
     */
    private List<Integer> missing(
            String table,
            RangeMap map,
            List<byte[]> keys,
            List<Integer> wanted,
            byte[] @Nullable [] values) {
        Map<RangeEntry, List<Integer>> byLine = new LinkedHashMap<>();
        for (int at : wanted) {
            byLine.computeIfAbsent(map.at(keys.get(at)), _ -> new ArrayList<>()).add(at);
        }
        List<Asked> asked = new ArrayList<>();
        byLine.forEach(
                (line, positions) -> {
                    for (List<Integer> some : requests(positions, keys)) {
                        asked.add(
                                new Asked(
                                        line,
                                        some,
                                        rows.read(
                                                line.partition(),
                                                some.stream().map(keys::get).toList())));
                    }
                });
        List<Integer> again = new ArrayList<>();
        for (Asked one : asked) {
            PartitionedRows.Values read = Replies.await(one.answer);
            if (!holds(table, one.line, read.state())) {
                again.addAll(one.positions);
                continue;
            }
            for (int i = 0; i < one.positions.size(); i++) {
                values[one.positions.get(i)] = read.values().get(i);
            }
        }
        return again;
    }

    /** A request for some of the keys. */
    private record Asked(
            RangeEntry line,
            List<Integer> positions,
            CompletableFuture<PartitionedRows.Values> answer) {}

    private List<List<Integer>> requests(List<Integer> positions, List<byte[]> keys) {
        List<List<Integer>> requests = new ArrayList<>();
        int start = 0;
        long bytes = 0;
        for (int at = 0; at < positions.size(); at++) {
            bytes += keys.get(positions.get(at)).length;
            if (at > start && (at - start == KEYS_PER_REQUEST || bytes > rows.writeBytesMax())) {
                requests.add(positions.subList(start, at));
                start = at;
                bytes = keys.get(positions.get(at)).length;
            }
        }
        requests.add(positions.subList(start, positions.size()));
        return requests;
    }

    /**
     * Whether rows read from this partition, whose state was read at the same time or later, are
     * the current content of the table. If not, the directory has been read again.
     */
    boolean holds(String table, RangeEntry line, PartitionState state) {
        return switch (state) {
            case OPEN -> true;
            // While the entry is in the directory, no process writes to its replacements.
            case SEALED -> directory.refreshed(table).has(line);
            case NEW, GONE -> {
                if (directory.refreshed(table).has(line)) {
                    // The table is being dropped: its partitions are removed before its entries.
                    backoff.pause(limits.pause());
                }
                yield false;
            }
        };
    }

    static PetrichorException restless(String table) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "the table '{table}' is being dropped or splits too often; retry",
                "table",
                table);
    }
}
