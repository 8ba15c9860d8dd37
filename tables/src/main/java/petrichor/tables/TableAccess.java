package petrichor.tables;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;

/**
 * Reads and writes the rows of one table in one transaction, together with their index entries.
 * Confined to the transaction's thread.
 */
public final class TableAccess {
    private final TableStore store;
    private final TableTransaction transaction;
    private final TableFormat format;

    TableAccess(TableStore store, TableTransaction transaction, TableFormat format) {
        this.store = store;
        this.transaction = transaction;
        this.format = format;
    }

    /** What an insertion results in. */
    public sealed interface Insertion {
        /**
         * @param number of the row, in a table without a primary key; otherwise 0
         */
        record Inserted(byte[] key, long number) implements Insertion {}

        /**
         * Nothing was written.
         *
         * @param index that has a row with the same values; null for the primary key
         */
        record Duplicate(@Nullable StoredIndex index) implements Insertion {}
    }

    /** Inserts a row, unless a unique index or the primary key has its values already. */
    public Insertion insert(@Nullable Object[] values) {
        StoredTable table = format.table();
        long number = table.hasRowNumbers() ? store.nextRowNumbers(table, 1) : 0;
        return insert(number, values);
    }

    /** Inserts a row of a table without a primary key that keeps its number. */
    public Insertion insert(long number, @Nullable Object[] values) {
        StoredTable table = format.table();
        byte[] key = table.hasRowNumbers() ? format.rowKey(number) : format.rowKey(values);
        Insertion.Duplicate duplicate = duplicate(key, values);
        if (duplicate != null) {
            return duplicate;
        }
        write(key, values);
        return new Insertion.Inserted(key, number);
    }

    /**
     * Inserts rows in their order, up to the first one that duplicates a row; their keys are read
     * together.
     *
     * @return one result per row, at most one of them, the last, a duplicate
     */
    public List<Insertion> insertAll(List<@Nullable Object[]> rows) {
        StoredTable table = format.table();
        boolean numbered = table.hasRowNumbers();
        long first = numbered && !rows.isEmpty() ? store.nextRowNumbers(table, rows.size()) : 0;
        List<UniqueKeys> unique = new ArrayList<>(rows.size());
        List<byte[]> all = new ArrayList<>(rows.size());
        for (@Nullable Object[] values : rows) {
            byte[] key = numbered ? format.rowKey(first + unique.size()) : format.rowKey(values);
            UniqueKeys keys = uniqueKeys(key, values);
            unique.add(keys);
            all.addAll(keys.keys());
        }
        List<byte @Nullable []> found =
                all.isEmpty() ? List.of() : transaction.get(all, transaction.mark());
        List<Insertion> insertions = new ArrayList<>(rows.size());
        int from = 0;
        for (int i = 0; i < unique.size(); i++) {
            UniqueKeys keys = unique.get(i);
            int to = from + keys.keys().size();
            Insertion.Duplicate duplicate = keys.duplicate(found.subList(from, to), transaction);
            if (duplicate != null) {
                insertions.add(duplicate);
                return insertions;
            }
            from = to;
            write(keys.row(), rows.get(i));
            insertions.add(new Insertion.Inserted(keys.row(), numbered ? first + i : 0));
        }
        return insertions;
    }

    private void write(byte[] key, @Nullable Object[] values) {
        transaction.insert(key, format.encode(values));
        for (StoredIndex index : format.table().indexes()) {
            if (index.written()) {
                transaction.insert(
                        format.entryKey(index, values, key), format.entryValue(index, values, key));
            }
        }
    }

    /**
     * Keys that no other row may have.
     *
     * @param owners of the keys; null for the primary key
     */
    private record UniqueKeys(byte[] row, List<byte[]> keys, List<@Nullable StoredIndex> owners) {
        /** Null if neither the store has one of the keys nor the transaction has written it. */
        Insertion.@Nullable Duplicate duplicate(
                List<byte @Nullable []> found, TableTransaction transaction) {
            for (int i = 0; i < keys.size(); i++) {
                if (found.get(i) != null || transaction.hasWritten(keys.get(i))) {
                    return new Insertion.Duplicate(owners.get(i));
                }
            }
            return null;
        }
    }

    private UniqueKeys uniqueKeys(byte[] key, @Nullable Object[] values) {
        StoredTable table = format.table();
        List<byte[]> keys = new ArrayList<>();
        List<@Nullable StoredIndex> owners = new ArrayList<>();
        if (!table.hasRowNumbers()) {
            keys.add(key);
            owners.add(null);
        }
        for (StoredIndex index : table.indexes()) {
            if (index.written() && format.excludes(index, values)) {
                keys.add(format.entryKey(index, values, key));
                owners.add(index);
            }
        }
        return new UniqueKeys(key, keys, owners);
    }

    private Insertion.@Nullable Duplicate duplicate(byte[] key, @Nullable Object[] values) {
        UniqueKeys unique = uniqueKeys(key, values);
        List<byte @Nullable []> found =
                unique.keys().isEmpty()
                        ? List.of()
                        : transaction.get(unique.keys(), transaction.mark());
        return unique.duplicate(found, transaction);
    }

    /**
     * The row that has these values in a unique index, as seen now; null if there is none, or if
     * one of the indexed values is null.
     *
     * @param index null for the primary key
     * @param values of a row
     */
    public @Nullable TableRow existing(@Nullable StoredIndex index, @Nullable Object[] values) {
        if (index == null) {
            return get(format.rowKey(values), transaction.mark());
        }
        if (!format.excludes(index, values)) {
            return null;
        }
        byte[] key = format.entryKey(index, values, new byte[0]);
        byte[] entry = transaction.get(key, transaction.mark());
        return entry == null ? null : get(format.rowKeyOf(key, entry), transaction.mark());
    }

    /**
     * Removes a row and its index entries; false if there is no such row.
     *
     * @param values of the row
     */
    public boolean remove(byte[] key, @Nullable Object[] values) {
        byte[] stored = transaction.get(key, transaction.mark());
        if (stored == null) {
            return false;
        }
        transaction.write(key, null);
        for (StoredIndex index : format.table().indexes()) {
            transaction.write(format.entryKey(index, values, key), null);
        }
        return true;
    }

    /** The row with this key; null if there is none. */
    public @Nullable TableRow get(byte[] key, int mark) {
        byte[] value = transaction.get(key, mark);
        return value == null ? null : new TableRow(key, format.decode(value));
    }

    /** Whether the newest version has more rows than that; does not read in the transaction. */
    public boolean hasMoreRows(long rowsMax) {
        long count = 0;
        try (TableTransaction snapshot = store.snapshot()) {
            TableTransaction.Batches batches = snapshot.scan(format.rows(), Direction.FORWARD, 0);
            int found = batches.next().size();
            while (found > 0 && count <= rowsMax) {
                count += found;
                found = batches.next().size();
            }
        }
        return count > rowsMax;
    }

    /**
     * Adds the entries of all rows to a new index, in this transaction.
     *
     * @return the values of a row that duplicates another one, which ends it; otherwise null
     */
    public @Nullable Object @Nullable [] fill(StoredIndex index) {
        Scan rows = rows(format.rows(), Direction.FORWARD, transaction.mark());
        TableRow row = rows.next();
        while (row != null) {
            byte[] key = format.entryKey(index, row.values(), row.key());
            if (format.excludes(index, row.values())
                    && transaction.get(key, transaction.mark()) != null) {
                return row.values();
            }
            transaction.insert(key, format.entryValue(index, row.values(), row.key()));
            row = rows.next();
        }
        return null;
    }

    /** Removes all rows and their index entries. */
    public long removeAll() {
        long removed = 0;
        Scan rows = rows(format.rows(), Direction.FORWARD, transaction.mark());
        TableRow row = rows.next();
        while (row != null) {
            remove(row.key(), row.values());
            removed++;
            row = rows.next();
        }
        return removed;
    }

    /**
     * One row, or null, per key of the primary key or of a unique index, read together.
     *
     * @param index null for the primary key
     */
    public List<@Nullable TableRow> rows(@Nullable StoredIndex index, List<byte[]> keys, int mark) {
        List<byte @Nullable []> values = transaction.get(keys, mark);
        List<byte[]> rowKeys = keys;
        List<Integer> places = new ArrayList<>();
        if (index != null) {
            rowKeys = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                byte[] entry = values.get(i);
                if (entry != null) {
                    rowKeys.add(format.rowKeyOf(keys.get(i), entry));
                    places.add(i);
                }
            }
            values = rowKeys.isEmpty() ? List.of() : transaction.get(rowKeys, mark);
        }
        List<@Nullable TableRow> rows = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            rows.add(null);
        }
        for (int i = 0; i < values.size(); i++) {
            byte[] value = values.get(i);
            if (value != null) {
                TableRow row = new TableRow(rowKeys.get(i), format.decode(value));
                rows.set(index == null ? i : places.get(i), row);
            }
        }
        return rows;
    }

    /** Rows in the order of their keys. */
    public Scan rows(KeyRange range, Direction direction, int mark) {
        return new Scan(null, range, direction, mark);
    }

    /** Rows in the order of an index; the rows of a batch of entries are read together. */
    public Scan rows(StoredIndex index, KeyRange range, Direction direction, int mark) {
        return new Scan(index, range, direction, mark);
    }

    /** Reads in batches and keeps nothing open between them. */
    public final class Scan {
        private final @Nullable StoredIndex index;
        private final TableTransaction.Batches batches;
        private List<TableTransaction.Found> batch = List.of();
        private int at;

        private Scan(@Nullable StoredIndex index, KeyRange range, Direction direction, int mark) {
            this.index = index;
            this.batches = transaction.scan(range, direction, mark);
        }

        /** The next row; null at the end. */
        public @Nullable TableRow next() {
            if (at == batch.size()) {
                batch = index == null ? batches.next() : resolved(batches.next());
                at = 0;
                if (batch.isEmpty()) {
                    return null;
                }
            }
            TableTransaction.Found row = batch.get(at++);
            return new TableRow(row.key(), format.decode(row.value()));
        }

        /** The rest of the batch, or the next one; empty at the end. */
        public List<TableRow> nextBatch() {
            List<TableRow> rows = new ArrayList<>();
            TableRow row = next();
            while (row != null) {
                rows.add(row);
                row = at < batch.size() ? next() : null;
            }
            return rows;
        }

        private List<TableTransaction.Found> resolved(List<TableTransaction.Found> entries) {
            List<byte[]> keys = new ArrayList<>(entries.size());
            for (TableTransaction.Found entry : entries) {
                keys.add(format.rowKeyOf(entry.key(), entry.value()));
            }
            List<byte @Nullable []> values = batches.get(keys);
            List<TableTransaction.Found> rows = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                byte[] value = values.get(i);
                if (value == null) {
                    throw PetrichorException.of(
                            ErrorCode.INTERNAL,
                            "An entry of the index {index} of the table {table} has no row; drop"
                                    + " the index and create it again.",
                            "index",
                            index == null ? "" : index.name(),
                            "table",
                            format.table().name());
                }
                rows.add(new TableTransaction.Found(keys.get(i), value));
            }
            return rows;
        }
    }
}
