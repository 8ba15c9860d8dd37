package petrichor.tables;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;

/**
 * Builds indexes while rows are written: each step is a transaction that moves the index to its
 * next state, or adds the entries of some rows and stores how far it came. After a crash, any
 * server continues at that position. Thread-safe.
 */
public final class IndexBuilds {
    /** Rows of a step, fewer after conflicts with writers. */
    private static final int STEP_ROWS_MAX = 1_000;

    private final TableStore store;
    private final long builder;
    private final int stepRowsMax;

    /**
     * @param builder identifies this process, at random
     */
    public IndexBuilds(TableStore store, long builder) {
        this(store, builder, STEP_ROWS_MAX);
    }

    IndexBuilds(TableStore store, long builder, int stepRowsMax) {
        this.store = store;
        this.builder = builder;
        this.stepRowsMax = stepRowsMax;
    }

    /** What a step did. */
    public sealed interface Step {
        /**
         * There is more to do.
         *
         * @param rows that have been read since the start of the build
         */
        record Advanced(long rows) implements Step {}

        /** A writer was faster; repeat it. */
        record Conflicted() implements Step {}

        /** The index is complete and readable. */
        record Built(long rows) implements Step {}

        /**
         * Two rows have the same values: {@link #abandon} the build.
         *
         * @param values of one of the rows
         */
        record Duplicated(StoredTable table, StoredIndex index, @Nullable Object[] values)
                implements Step {}

        /** The index was dropped. */
        record Dropped() implements Step {}

        /** Another server continues. */
        record TakenOver() implements Step {}
    }

    /** Registers the builds of new indexes in the transaction that defines them. */
    public void start(TableTransaction transaction, List<IndexBuild> builds) {
        for (IndexBuild build : builds) {
            transaction.write(TableKeys.build(build.index()), build.by(builder).encode());
        }
    }

    /** The new indexes of a catalog that have to be built. */
    public List<IndexBuild> added(CatalogImage before, CatalogImage after) {
        List<IndexBuild> builds = new ArrayList<>();
        for (StoredTable table : after.tables()) {
            StoredTable known = before.table(table.id());
            for (StoredIndex index : table.indexes()) {
                boolean added = known == null || known.index(index.id()) == null;
                if (added && !index.readable()) {
                    builds.add(IndexBuild.start(table.id(), index.id(), builder));
                }
            }
        }
        return builds;
    }

    /** All builds in progress. */
    public List<IndexBuild> running() {
        List<IndexBuild> builds = new ArrayList<>();
        try (TableTransaction snapshot = store.snapshot()) {
            TableTransaction.Batches batches =
                    snapshot.scan(KeyRange.ofPrefix(TableKeys.builds()), Direction.FORWARD, 0);
            List<TableTransaction.Found> found = batches.next();
            while (!found.isEmpty()) {
                found.forEach(row -> builds.add(IndexBuild.decode(row.value())));
                found = batches.next();
            }
        }
        return builds;
    }

    /** Continues a build that another process left; false if its progress has changed since. */
    public boolean takeOver(IndexBuild seen) {
        try (TableTransaction transaction = store.begin()) {
            byte[] key = TableKeys.build(seen.index());
            byte[] stored = transaction.get(key, 0);
            if (stored == null || !Arrays.equals(stored, seen.encode())) {
                return false;
            }
            transaction.write(key, seen.by(builder).encode());
            transaction.commit();
            return true;
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.ABORTED) {
                return false;
            }
            throw failed;
        }
    }

    /** Removes the record of a build in the transaction that drops its index. */
    public void abandon(TableTransaction transaction, int index) {
        transaction.write(TableKeys.build(index), null);
    }

    /** A build by this process. Confined to one thread. */
    public final class Builder {
        private final int index;
        private int stepRows = stepRowsMax;

        private Builder(int index) {
            this.index = index;
        }

        public Step step() {
            try (TableTransaction transaction = store.begin()) {
                return step(transaction);
            } catch (PetrichorException failed) {
                boolean tooMuch = failed.code() == ErrorCode.RESOURCE_EXHAUSTED && stepRows > 1;
                if (failed.code() != ErrorCode.ABORTED && !tooMuch) {
                    throw failed;
                }
                stepRows = Math.max(1, stepRows / 2);
                return new Step.Conflicted();
            }
        }

        private Step step(TableTransaction transaction) {
            CatalogImage image = store.catalog(transaction);
            byte[] stored = transaction.get(TableKeys.build(index), 0);
            IndexBuild build = stored == null ? null : IndexBuild.decode(stored);
            StoredTable table = build == null ? owner(image) : image.table(build.table());
            StoredIndex built = table == null ? null : table.index(index);
            if (table == null || built == null) {
                transaction.write(TableKeys.build(index), null);
                transaction.commit();
                return new Step.Dropped();
            }
            if (built.readable() || build == null) {
                return new Step.Built(build == null ? 0 : build.rows());
            }
            if (build.builder() != builder) {
                return new Step.TakenOver();
            }
            return switch (built.state()) {
                case DELETE_ONLY ->
                        moved(transaction, image, build, built, StoredIndex.State.WRITE_ONLY);
                case WRITE_ONLY ->
                        moved(transaction, image, build, built, StoredIndex.State.BACKFILL);
                case BACKFILL -> filled(transaction, image, build, table, built);
                case READABLE -> new Step.Built(build.rows());
            };
        }

        private @Nullable StoredTable owner(CatalogImage image) {
            for (StoredTable table : image.tables()) {
                if (table.index(index) != null) {
                    return table;
                }
            }
            return null;
        }

        private Step moved(
                TableTransaction transaction,
                CatalogImage image,
                IndexBuild build,
                StoredIndex built,
                StoredIndex.State state) {
            StoredTable table = image.table(build.table());
            if (table == null) {
                return new Step.Dropped();
            }
            CatalogImage _ = store.move(transaction, image, table, built, state);
            transaction.write(TableKeys.build(index), build.after(0, build.position()).encode());
            transaction.commit();
            return new Step.Advanced(build.rows());
        }

        private Step filled(
                TableTransaction transaction,
                CatalogImage image,
                IndexBuild build,
                StoredTable table,
                StoredIndex built) {
            TableFormat format = new TableFormat(table);
            List<byte[]> keys = nextRows(format, build.position());
            if (keys.isEmpty()) {
                CatalogImage _ =
                        store.move(transaction, image, table, built, StoredIndex.State.READABLE);
                transaction.write(TableKeys.build(index), null);
                transaction.commit();
                return new Step.Built(build.rows());
            }
            Entries entries = new Entries(format, built);
            @Nullable Object[] duplicate = entries.add(transaction, keys);
            if (duplicate != null) {
                return new Step.Duplicated(table, built, duplicate);
            }
            IndexBuild next = build.after(keys.size(), keys.getLast());
            transaction.write(TableKeys.build(index), next.encode());
            transaction.commit();
            stepRows = Math.min(stepRowsMax, stepRows * 2);
            return new Step.Advanced(next.rows());
        }

        /**
         * Read outside of the transaction: rows that are inserted at the same time have entries
         * already, and do not conflict.
         */
        private List<byte[]> nextRows(TableFormat format, byte[] position) {
            KeyRange all = format.rows();
            KeyRange rest =
                    position.length == 0 ? all : new KeyRange(Bytes.successor(position), all.to());
            List<byte[]> keys = new ArrayList<>();
            try (TableTransaction snapshot = store.snapshot()) {
                TableTransaction.Batches batches = snapshot.scan(rest, Direction.FORWARD, 0);
                List<TableTransaction.Found> found = batches.next();
                while (!found.isEmpty() && keys.size() < stepRows) {
                    for (TableTransaction.Found row : found) {
                        if (keys.size() < stepRows) {
                            keys.add(row.key());
                        }
                    }
                    found = batches.next();
                }
            }
            return keys;
        }
    }

    /** Entries of some rows. */
    private record Entries(TableFormat format, StoredIndex index) {
        /** The values of a row that duplicates another one; null if all entries were added. */
        @Nullable Object @Nullable [] add(TableTransaction transaction, List<byte[]> rows) {
            List<byte @Nullable []> values = transaction.get(rows, transaction.mark());
            List<@Nullable Object[]> decoded = new ArrayList<>();
            List<byte[]> keys = new ArrayList<>();
            List<byte[]> entries = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                byte[] value = values.get(i);
                if (value != null) {
                    @Nullable Object[] row = format.decode(value);
                    decoded.add(row);
                    keys.add(format.entryKey(index, row, rows.get(i)));
                    entries.add(format.entryValue(index, row, rows.get(i)));
                }
            }
            List<byte @Nullable []> known = transaction.get(keys, transaction.mark());
            Map<Key, byte[]> added = new HashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                byte[] entry = known.get(i);
                byte[] same = entry == null ? added.get(new Key(keys.get(i))) : entry;
                if (same != null && !Arrays.equals(same, entries.get(i))) {
                    return decoded.get(i);
                }
                if (same == null) {
                    added.put(new Key(keys.get(i)), entries.get(i));
                    transaction.insert(keys.get(i), entries.get(i));
                }
            }
            return null;
        }
    }

    private record Key(byte[] bytes) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    public Builder builder(IndexBuild build) {
        return new Builder(build.index());
    }
}
