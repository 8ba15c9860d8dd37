package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionedRows.Values;

/** Writes each change to the partition that accepts it now. Thread-safe. */
final class RangedWrites {
    private static final int ROUNDS_MAX = 100;

    private final PartitionedRows rows;
    private final RangeDirectory directory;
    private final RangeSplitter splitter;
    private final SealedWrites sealed;

    RangedWrites(PartitionedRows rows, RangeDirectory directory, RangeSplitter splitter) {
        this.rows = rows;
        this.directory = directory;
        this.splitter = splitter;
        this.sealed = new SealedWrites(rows, directory, splitter);
    }

    private record Place(String table, RangeEntry line) {}

    /** Writes changes to a partition; the result says whether they are permanent. */
    private interface Change {
        CompletableFuture<Boolean> in(long partition, List<WriteBatch.Op> ops);
    }

    /** Handles changes that a partition did not accept. */
    private interface Refusal {
        /** Returns the operations to send again, according to the current directory. */
        List<WriteBatch.Op> of(Place place, List<WriteBatch.Op> refused);
    }

    void write(WriteBatch batch) {
        change(
                batch.ops(),
                rows::write,
                (place, refused) -> {
                    splitter.awaitReplaced(place.table, place.line);
                    return refused;
                });
    }

    void putIfNewer(WriteBatch batch, long version) {
        // A versioned change is not conditional, so it may have been too late: then the partition
        // was sealed before, and reports so afterwards.
        change(
                batch.ops(),
                (partition, ops) ->
                        rows.putIfNewer(partition, ops, version)
                                .thenCompose(_ -> rows.state(partition))
                                .thenApply(state -> state == PartitionState.OPEN),
                (place, refused) -> sealed.putIfNewer(place.table, place.line, refused, version));
    }

    /**
     * If both rows are in one partition, as usual, the read also returns the partition's state: no
     * third request is needed.
     */
    byte @Nullable [] putThenRead(
            WriteBatch.Put put, long version, byte[] other, RangedReads reads) {
        String table = put.table();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            RangeMap map = directory.of(table);
            RangeEntry line = map.at(put.key());
            if (!map.at(other).equals(line)) {
                putIfNewer(new WriteBatch().add(put), version);
                return reads.get(table, other);
            }
            Values read =
                    Replies.await(
                            rows.putIfNewer(line.partition(), List.of(put), version)
                                    .thenCompose(_ -> rows.read(line.partition(), List.of(other))));
            splitter.written(table, line, List.of(put));
            if (read.state() == PartitionState.OPEN) {
                return read.values().getFirst();
            }
            // The row was too late only for this partition.
            if (sealed.putIfNewer(table, line, List.of(put), version).isEmpty()) {
                return reads.get(table, other);
            }
        }
        throw RangedReads.restless(table);
    }

    private void change(List<WriteBatch.Op> batch, Change change, Refusal refusal) {
        List<WriteBatch.Op> left = batch;
        for (int round = 0; !left.isEmpty(); round++) {
            Map<Place, List<WriteBatch.Op>> byPlace = placed(left);
            Map<Place, CompletableFuture<List<WriteBatch.Op>>> asked = new LinkedHashMap<>();
            byPlace.forEach(
                    (place, ops) ->
                            asked.put(
                                    place,
                                    inTurn(
                                            place.line.partition(),
                                            Requests.of(ops, rows.writeBytesMax()),
                                            change)));
            List<WriteBatch.Op> refused = new ArrayList<>();
            for (var answer : asked.entrySet()) {
                Place place = answer.getKey();
                List<WriteBatch.Op> refusedHere = Replies.await(answer.getValue());
                if (!refusedHere.isEmpty()) {
                    if (round == ROUNDS_MAX) {
                        throw RangedReads.restless(place.table);
                    }
                    refused.addAll(refusal.of(place, refusedHere));
                }
                splitter.written(place.table, place.line, byPlace.getOrDefault(place, List.of()));
            }
            left = refused;
        }
    }

    /** NOT_FOUND, before anything is written, if one of the tables does not exist. */
    private Map<Place, List<WriteBatch.Op>> placed(List<WriteBatch.Op> ops) {
        Map<Place, List<WriteBatch.Op>> placed = new LinkedHashMap<>();
        for (WriteBatch.Op op : ops) {
            String table = op.table();
            RangeMap map = directory.of(table);
            switch (op) {
                case WriteBatch.Put put -> add(placed, table, map.at(put.key()), put);
                case WriteBatch.Delete delete -> add(placed, table, map.at(delete.key()), delete);
                case WriteBatch.DeleteRange(_, KeyRange range) -> {
                    for (RangeEntry line :
                            range.isEmpty() ? List.<RangeEntry>of() : map.in(range)) {
                        KeyRange shared = PartitionSplit.shared(line.range(), range);
                        add(placed, table, line, new WriteBatch.DeleteRange(table, shared));
                    }
                }
            }
        }
        return placed;
    }

    private static void add(
            Map<Place, List<WriteBatch.Op>> placed,
            String table,
            RangeEntry line,
            WriteBatch.Op op) {
        placed.computeIfAbsent(new Place(table, line), _ -> new ArrayList<>()).add(op);
    }

    /** Sends one piece after the other; returns those that the partition does not hold. */
    private static CompletableFuture<List<WriteBatch.Op>> inTurn(
            long partition, List<List<WriteBatch.Op>> pieces, Change change) {
        CompletableFuture<List<WriteBatch.Op>> refused =
                CompletableFuture.completedFuture(List.of());
        for (List<WriteBatch.Op> piece : pieces) {
            refused =
                    refused.thenCompose(
                            before ->
                                    before.isEmpty()
                                            ? change.in(partition, piece)
                                                    .thenApply(done -> done ? before : piece)
                                            : CompletableFuture.completedFuture(
                                                    joined(before, piece)));
        }
        return refused;
    }

    private static List<WriteBatch.Op> joined(List<WriteBatch.Op> one, List<WriteBatch.Op> next) {
        List<WriteBatch.Op> both = new ArrayList<>(one);
        both.addAll(next);
        return both;
    }

    DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            RangeEntry line = directory.of(table).at(key);
            switch (Replies.await(rows.putIfAbsent(line.partition(), key, value))) {
                case DONE -> {
                    splitter.written(table, line, List.of(new WriteBatch.Put(table, key, value)));
                    return DurableStep.Outcome.DONE;
                }
                case PRESENT -> {
                    return DurableStep.Outcome.FENCED;
                }
                case UNKNOWN -> {
                    return DurableStep.Outcome.UNKNOWN;
                }
                case NOT_OPEN -> splitter.awaitReplaced(table, line);
            }
        }
        throw RangedReads.restless(table);
    }
}
