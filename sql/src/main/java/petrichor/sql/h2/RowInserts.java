package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.h2.api.Trigger;
import org.h2.engine.Right;
import org.h2.engine.SessionLocal;
import org.h2.result.Row;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.TableAccess;
import petrichor.tables.TableTransaction;

/**
 * Inserts many rows into a table as INSERT does, with its defaults, constraints and indexes, but
 * without a statement of H2: the rows of a batch are checked for duplicates together. Confined to
 * the session's thread.
 */
public final class RowInserts implements AutoCloseable {
    private final H2Session session;
    private final RowSession rows;
    private final SessionLocal h2;
    private final Table table;
    private final Column[] columns;
    private final Cancellation cancellation;

    /** Later batches need as many numbers as the former ones. */
    private int feeding = 1;

    private RowInserts(
            H2Session session,
            RowSession rows,
            Table table,
            Column[] columns,
            Cancellation cancellation) {
        this.session = session;
        this.rows = rows;
        this.h2 = rows.session();
        this.table = table;
        this.columns = columns;
        this.cancellation = cancellation;
    }

    /**
     * @param table with or without the schema
     * @param columns that have values; the others have their defaults
     */
    static RowInserts of(
            H2Session session,
            RowSession rows,
            List<String> table,
            List<String> columns,
            Cancellation cancellation) {
        SessionLocal h2 = rows.session();
        Table found = NamedTables.find(h2, table);
        if (!(found instanceof RowTable) && !(found instanceof EntityTable)) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "cannot copy to \"" + found.getName() + "\": it is not a table");
        }
        h2.getUser().checkTableRight(found, Right.INSERT);
        Column[] targets = columns.stream().map(found::getColumn).toArray(Column[]::new);
        if (new HashSet<>(Arrays.asList(targets)).size() < targets.length) {
            throw new SqlException(
                    SqlState.DUPLICATE_COLUMN, "a column is specified more than once");
        }
        startStatement(h2);
        return new RowInserts(session, rows, found, targets, cancellation);
    }

    /** H2 keeps the time of a statement until the next one starts. */
    private static void startStatement(SessionLocal h2) {
        h2.commit(false);
        h2.endStatement();
    }

    /** All of the rows, or none of them after an exception. */
    public void insert(TableTransaction transaction, List<List<@Nullable Object>> batch) {
        int mark = transaction.mark();
        for (int attempt = 1; ; attempt++) {
            rows.begin(transaction);
            try {
                requireNotCanceled();
                insertAll(batch);
                return;
            } catch (RuntimeException | StackOverflowError failed) {
                transaction.undo(mark);
                if (!session.feeds(failed, attempt, feeding++)) {
                    throw session.translated(failed);
                }
            }
        }
    }

    private void requireNotCanceled() {
        if (cancellation.reasonToStop() != null) {
            throw new SqlException(
                    SqlState.QUERY_CANCELED, "canceling statement due to user request or timeout");
        }
    }

    private void insertAll(List<List<@Nullable Object>> batch) {
        table.fire(h2, Trigger.INSERT, true);
        List<Row> inserted = new ArrayList<>(batch.size());
        for (List<@Nullable Object> values : batch) {
            Row row = table.getTemplateRow();
            for (int i = 0; i < columns.length; i++) {
                row.setValue(columns[i].getColumnId(), value(values.get(i), columns[i]));
            }
            // As in PostgreSQL, given values replace those of every identity.
            table.convertInsertRow(h2, row, Boolean.TRUE);
            if (!table.fireBeforeRow(h2, null, row)) {
                inserted.add(row);
            }
        }
        if (table instanceof RowTable stored) {
            insert(stored, inserted);
        } else {
            inserted.forEach(row -> table.addRow(h2, row));
        }
        if (table.fireRow()) {
            inserted.forEach(row -> table.fireAfterRow(h2, null, row, false));
        }
        table.fire(h2, Trigger.INSERT, false);
    }

    private void insert(RowTable stored, List<Row> added) {
        List<@Nullable Object[]> values = new ArrayList<>(added.size());
        for (Row row : added) {
            values.add(stored.values(row));
        }
        List<TableAccess.Insertion> insertions = stored.access(h2).insertAll(values);
        for (int i = 0; i < insertions.size(); i++) {
            switch (insertions.get(i)) {
                case TableAccess.Insertion.Inserted inserted ->
                        added.get(i).setKey(stored.format().rowNumber(inserted.key()));
                case TableAccess.Insertion.Duplicate duplicate ->
                        throw DuplicateKey.of(
                                stored.format().table(), duplicate.index(), values.get(i));
            }
        }
    }

    /** H2 would take a text for a JSON string. */
    private static Value value(@Nullable Object value, Column column) {
        if (value instanceof String text && column.getType().getValueType() == Value.JSON) {
            return Values.toH2(new JsonText(text));
        }
        return Values.toH2(value);
    }

    @Override
    public void close() {
        startStatement(h2);
    }
}
