package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreLimits;
import petrichor.kv.WriteBatch;

/**
 * Partitions in the heap, for tests. Behaves like Cassandra: a versioned change wins over every
 * unversioned one. Several stores can share it, like processes that share a server.
 */
final class HeapRows implements PartitionedRows {
    static final int KEY_BYTES_MAX = 60_000;
    static final int VALUE_BYTES_MAX = 4 << 20;
    private static final int WRITE_BYTES_MAX = 1 << 20;

    /** Wraps each call, so that a simulation can run other processes, or crash the caller. */
    interface Gate {
        <T> T pass(Supplier<T> effect);
    }

    private record Cell(byte @Nullable [] value, boolean versioned, long stamp) {
        // Not the compact form: its class file would lack the nullness of the value.
        Cell(byte @Nullable [] value, boolean versioned, long stamp) {
            this.value = value;
            this.versioned = versioned;
            this.stamp = stamp;
        }

        boolean losesAgainst(boolean otherVersioned, long otherStamp) {
            return versioned == otherVersioned ? stamp <= otherStamp : otherVersioned;
        }
    }

    private static final class Partition {
        PartitionState state = PartitionState.GONE;
        boolean made;
        @Nullable SplitPlan plan;
        byte @Nullable [] copied;
        final NavigableMap<byte[], Cell> cells = new TreeMap<>(Bytes::compare);
        final List<PartitionContents.StoredRangeDelete> rangeDeletes = new ArrayList<>();

        void put(byte[] key, Cell cell) {
            if (cell.versioned) {
                for (PartitionContents.StoredRangeDelete delete : rangeDeletes) {
                    if (delete.range().contains(key) && delete.version() > cell.stamp) {
                        return;
                    }
                }
            }
            Cell there = cells.get(key);
            if (there == null || there.losesAgainst(cell.versioned, cell.stamp)) {
                cells.put(key, cell);
            }
        }

        void delete(KeyRange range, boolean versioned, long stamp) {
            if (versioned) {
                rangeDeletes.add(new PartitionContents.StoredRangeDelete(range, stamp));
            }
            NavigableMap<byte[], Cell> tail = cells.tailMap(range.from(), true);
            byte[] to = range.to();
            (to == null ? tail : tail.headMap(to, false))
                    .values()
                    .removeIf(cell -> cell.versioned == versioned ? cell.stamp < stamp : versioned);
        }
    }

    private final Gate gate;
    private final Shared shared;
    private final int pageRowsMax;

    /** State shared by all processes. */
    private static final class Shared {
        final Map<Long, Partition> partitions = new HashMap<>();
        final Map<String, List<RangeEntry>> directory = new HashMap<>();
        long clock;
        int tooLarge;
        Predicate<List<PartitionContents.StoredRow>> copyFails = _ -> false;
    }

    HeapRows() {
        this(
                new Gate() {
                    @Override
                    public <T> T pass(Supplier<T> effect) {
                        return effect.get();
                    }
                },
                new Shared(),
                Integer.MAX_VALUE);
    }

    private HeapRows(Gate gate, Shared shared, int pageRowsMax) {
        this.gate = gate;
        this.shared = shared;
        this.pageRowsMax = pageRowsMax;
    }

    /**
     * The same rows through this gate; copies few rows at a time, so that other calls interleave.
     */
    HeapRows through(Gate other) {
        return new HeapRows(other, shared, 3);
    }

    private <T> T call(Supplier<T> effect) {
        return gate.pass(
                () -> {
                    synchronized (shared) {
                        return effect.get();
                    }
                });
    }

    private <T> CompletableFuture<T> answer(Supplier<T> effect) {
        return CompletableFuture.completedFuture(call(effect));
    }

    private Partition partition(long partition) {
        return shared.partitions.computeIfAbsent(partition, _ -> new Partition());
    }

    long linesOf(String table) {
        return shared.directory.getOrDefault(table, List.of()).size();
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(false, new StoreLimits(KEY_BYTES_MAX, VALUE_BYTES_MAX));
    }

    @Override
    public int writeBytesMax() {
        return WRITE_BYTES_MAX;
    }

    /** Enforces a request limit like a server, except for a single row. */
    private void requireFits(int changes, long bytes) {
        if (changes > 1 && bytes > WRITE_BYTES_MAX) {
            shared.tooLarge++;
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "a request of " + bytes + " bytes is larger than the server takes");
        }
    }

    private void requireFits(List<WriteBatch.Op> ops) {
        requireFits(ops.size(), ops.stream().mapToLong(Requests::bytes).sum());
    }

    @Override
    public CompletableFuture<Values> read(long partition, List<byte[]> keys) {
        return answer(
                () -> {
                    Partition its = partition(partition);
                    List<byte @Nullable []> values = new ArrayList<>();
                    for (byte[] key : keys) {
                        Cell cell = its.cells.get(key);
                        values.add(cell == null || cell.value == null ? null : cell.value.clone());
                    }
                    return new Values(its.state, values);
                });
    }

    @Override
    public CompletableFuture<Values> readLinearizably(long partition, byte[] key) {
        return read(partition, List.of(key));
    }

    @Override
    public CompletableFuture<Page> page(
            long partition, KeyRange range, Direction direction, int rowsMax) {
        return answer(
                () -> {
                    Partition its = partition(partition);
                    NavigableMap<byte[], Cell> cells = its.cells.tailMap(range.from(), true);
                    byte[] to = range.to();
                    cells = to == null ? cells : cells.headMap(to, false);
                    List<Row> rows = new ArrayList<>();
                    int seen = 0;
                    for (var cell :
                            (direction == Direction.FORWARD ? cells : cells.descendingMap())
                                    .entrySet()) {
                        if (seen++ == rowsMax) {
                            byte[] resume =
                                    direction == Direction.FORWARD
                                            ? cell.getKey()
                                            : Bytes.successor(cell.getKey());
                            return new Page(its.state, rows, resume);
                        }
                        byte[] value = cell.getValue().value;
                        if (value != null) {
                            rows.add(new Row(cell.getKey().clone(), value.clone()));
                        }
                    }
                    return new Page(its.state, rows, null);
                });
    }

    @Override
    public CompletableFuture<List<byte[]>> keys(long partition, byte[] from, int keysMax) {
        return answer(
                () ->
                        partition(partition).cells.tailMap(from, true).keySet().stream()
                                .limit(keysMax)
                                .toList());
    }

    private static void apply(
            Partition partition, List<WriteBatch.Op> ops, boolean versioned, long stamp) {
        for (WriteBatch.Op op : ops) {
            switch (op) {
                case WriteBatch.Put(_, byte[] key, byte[] value) ->
                        partition.put(key, new Cell(value, versioned, stamp));
                case WriteBatch.Delete(_, byte[] key) -> {
                    if (versioned) {
                        partition.put(key, new Cell(null, true, stamp));
                    } else {
                        partition.delete(KeyRange.ofKey(key), false, stamp);
                    }
                }
                case WriteBatch.DeleteRange(_, KeyRange range) ->
                        partition.delete(range, versioned, stamp);
            }
        }
    }

    @Override
    public CompletableFuture<Void> putIfNewer(
            long partition, List<WriteBatch.Op> ops, long version) {
        requireFits(ops);
        call(
                () -> {
                    apply(partition(partition), ops, true, version);
                    return true;
                });
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Boolean> write(long partition, List<WriteBatch.Op> ops) {
        requireFits(ops);
        return answer(
                () -> {
                    Partition its = partition(partition);
                    if (its.state != PartitionState.OPEN) {
                        return false;
                    }
                    apply(its, ops, false, ++shared.clock);
                    return true;
                });
    }

    @Override
    public boolean conditionsAreDear() {
        return true;
    }

    @Override
    public CompletableFuture<Conditional> putIfAbsent(long partition, byte[] key, byte[] value) {
        return answer(
                () -> {
                    Partition its = partition(partition);
                    if (its.state != PartitionState.OPEN) {
                        return Conditional.NOT_OPEN;
                    }
                    if (its.cells.containsKey(key)) {
                        return Conditional.PRESENT;
                    }
                    its.put(key, new Cell(value, false, ++shared.clock));
                    return Conditional.DONE;
                });
    }

    @Override
    public CompletableFuture<PartitionState> state(long partition) {
        return answer(() -> partition(partition).state);
    }

    @Override
    public void make(long partition, PartitionState state) {
        call(
                () -> {
                    Partition its = partition(partition);
                    if (!its.made) {
                        its.made = true;
                        its.state = state;
                    }
                    return true;
                });
    }

    @Override
    public void open(long partition) {
        call(
                () -> {
                    Partition its = partition(partition);
                    if (its.state == PartitionState.NEW) {
                        its.state = PartitionState.OPEN;
                    }
                    return true;
                });
    }

    @Override
    public @Nullable SplitPlan seal(long partition, SplitPlan plan) {
        return call(
                () -> {
                    Partition its = partition(partition);
                    if (its.state == PartitionState.OPEN) {
                        its.state = PartitionState.SEALED;
                        its.plan = plan;
                    }
                    return its.state == PartitionState.SEALED ? its.plan : null;
                });
    }

    @Override
    public @Nullable SplitPlan plan(long partition) {
        return call(
                () -> {
                    Partition its = partition(partition);
                    return its.state == PartitionState.SEALED ? its.plan : null;
                });
    }

    @Override
    public void discard(long partition) {
        call(
                () -> {
                    Partition its = partition(partition);
                    its.made = true;
                    its.state = PartitionState.GONE;
                    its.cells.clear();
                    return true;
                });
    }

    @Override
    public PartitionContents contents(long partition, byte[] from, boolean first, int rowsMax) {
        return call(
                () -> {
                    Partition its = partition(partition);
                    List<PartitionContents.StoredRow> rows = new ArrayList<>();
                    List<PartitionContents.StoredRangeDelete> deletes =
                            first ? its.rangeDeletes : List.of();
                    for (var cell : its.cells.tailMap(from, true).entrySet()) {
                        if (rows.size() == Math.min(rowsMax, pageRowsMax)) {
                            return new PartitionContents(rows, deletes, cell.getKey());
                        }
                        Cell its1 = cell.getValue();
                        rows.add(
                                new PartitionContents.StoredRow(
                                        cell.getKey(), its1.value, its1.versioned, its1.stamp));
                    }
                    return new PartitionContents(rows, deletes, null);
                });
    }

    @Override
    public void copy(long partition, PartitionContents contents) {
        List<PartitionContents.StoredRow> copied = contents.rows();
        requireFits(copied.size(), copied.stream().mapToLong(HeapRows::bytes).sum());
        if (shared.copyFails.test(copied)) {
            throw new PetrichorException(ErrorCode.FAILED_PRECONDITION, "this row cannot be put");
        }
        call(
                () -> {
                    Partition its = partition(partition);
                    for (PartitionContents.StoredRangeDelete delete : contents.rangeDeletes()) {
                        its.delete(delete.range(), true, delete.version());
                    }
                    for (PartitionContents.StoredRow row : contents.rows()) {
                        if (row.versioned()) {
                            its.put(row.key(), new Cell(row.value(), true, row.stamp()));
                        } else if (its.state == PartitionState.NEW) {
                            its.put(row.key(), new Cell(row.value(), false, ++shared.clock));
                        }
                    }
                    return true;
                });
    }

    private static long bytes(PartitionContents.StoredRow row) {
        byte[] value = row.value();
        return (long) row.key().length + (value == null ? 0 : value.length);
    }

    /** Fails copies that match this predicate. */
    void failCopies(Predicate<List<PartitionContents.StoredRow>> which) {
        shared.copyFails = which;
    }

    /** Number of requests refused for their size. */
    int tooLarge() {
        return shared.tooLarge;
    }

    @Override
    public byte @Nullable [] copied(long partition) {
        return call(() -> partition(partition).copied);
    }

    @Override
    public void noteCopied(long partition, byte[] next) {
        call(
                () -> {
                    partition(partition).copied = next;
                    return true;
                });
    }

    @Override
    public Set<String> tables() {
        return call(() -> new TreeSet<>(shared.directory.keySet()));
    }

    @Override
    public List<RangeEntry> directory(String table) {
        return call(() -> List.copyOf(shared.directory.getOrDefault(table, List.of())));
    }

    @Override
    public boolean enter(String table, RangeEntry first) {
        return call(() -> shared.directory.putIfAbsent(table, List.of(first)) == null);
    }

    @Override
    public boolean replace(SplitPlan plan) {
        return call(
                () -> {
                    List<RangeEntry> lines =
                            new ArrayList<>(shared.directory.getOrDefault(plan.table(), List.of()));
                    int at = lines.indexOf(plan.replaced());
                    if (at < 0) {
                        return false;
                    }
                    lines.remove(at);
                    lines.addAll(at, plan.children());
                    shared.directory.put(plan.table(), lines);
                    return true;
                });
    }

    @Override
    public boolean remove(String table, List<RangeEntry> lines) {
        return call(() -> shared.directory.remove(table, lines));
    }

    /** The shared state remains. */
    @Override
    public void close() {}
}
