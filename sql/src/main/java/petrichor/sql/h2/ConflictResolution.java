package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.h2.api.ErrorCode;
import org.h2.command.Prepared;
import org.h2.constraint.Constraint;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.expression.Parameter;
import org.h2.index.Index;
import org.h2.message.DbException;
import org.h2.result.ResultInterface;
import org.h2.result.Row;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.util.HasSQL;
import org.h2.value.Value;
import org.h2.value.ValueBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.sql.OnConflict;
import petrichor.sql.OnConflict.Arbiter;
import petrichor.sql.OnConflict.Assignment;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.SqlText;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.StoredIndex;
import petrichor.tables.TableAccess;
import petrichor.tables.TableRow;

/**
 * ON CONFLICT of one execution of an INSERT. H2 runs the INSERT as one that ignores duplicate keys;
 * the table passes each row to here. The updated row takes the place of the proposed one, so that
 * RETURNING shows it. Confined to the session's thread.
 */
final class ConflictResolution {
    private final SessionLocal session;
    private final RowTable table;
    private final OnConflict clause;
    private final List<@Nullable Object> parameters;

    /** Unique indexes that may find the row that exists; null represents the primary key. */
    private final List<@Nullable StoredIndex> arbiters;

    private final boolean any;
    private final List<Column> assigned = new ArrayList<>();

    /** Keys of the rows that this statement inserted or updated. */
    private final Set<byte[]> affected = new TreeSet<>(Bytes::compare);

    private @Nullable Evaluation evaluation;

    private ConflictResolution(
            SessionLocal session,
            RowTable table,
            OnConflict clause,
            List<@Nullable Object> parameters) {
        this.session = session;
        this.table = table;
        this.clause = clause;
        this.parameters = parameters;
        this.any = clause.arbiter() instanceof Arbiter.Any;
        this.arbiters =
                switch (clause.arbiter()) {
                    case Arbiter.Any _ -> List.of();
                    case Arbiter.Columns columns -> over(columns.names());
                    case Arbiter.Constraint constraint -> of(constraint.name());
                };
        OnConflict.Update update = clause.update();
        if (update != null) {
            for (Assignment assignment : update.assignments()) {
                assigned.add(table.getColumn(assignment.column()));
            }
            if (new HashSet<>(assigned).size() < assigned.size()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "multiple assignments to same column");
            }
        }
    }

    static ConflictResolution of(
            SessionLocal session, OnConflict clause, List<@Nullable Object> parameters) {
        Table table = NamedTables.find(session, SqlText.names(clause.table()));
        if (table instanceof RowTable rows) {
            return new ConflictResolution(session, rows, clause, parameters);
        }
        throw new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "ON CONFLICT on kinds of entities and on views: not supported; use MERGE");
    }

    RowTable table() {
        return table;
    }

    private List<@Nullable StoredIndex> over(List<String> names) {
        Set<Integer> wanted = new HashSet<>();
        for (String name : names) {
            int position = table.getColumn(name).getColumnId();
            wanted.add(table.format().table().columns().get(position).id());
        }
        List<@Nullable StoredIndex> found = new ArrayList<>();
        if (columns(table.format().table().primaryKey()).equals(wanted)) {
            found.add(null);
        }
        for (StoredIndex index : table.format().table().indexes()) {
            if (index.readable() && index.unique() && columns(index.parts()).equals(wanted)) {
                found.add(index);
            }
        }
        if (found.isEmpty()) {
            throw new SqlException(
                    SqlState.INVALID_REFERENCE,
                    "there is no unique or exclusion constraint matching the ON CONFLICT"
                            + " specification");
        }
        return found;
    }

    private static Set<Integer> columns(List<StoredIndex.Part> parts) {
        Set<Integer> columns = new HashSet<>();
        parts.forEach(part -> columns.add(part.column()));
        return columns;
    }

    private List<@Nullable StoredIndex> of(String name) {
        Iterable<Constraint> constraints = table.getConstraints();
        for (Constraint constraint : constraints == null ? List.<Constraint>of() : constraints) {
            Index index = constraint.getName().equals(name) ? constraint.getIndex() : null;
            if (index instanceof RowIndex rows && index.getIndexType().isUnique()) {
                List<@Nullable StoredIndex> found = new ArrayList<>();
                found.add(table.stored(rows));
                return found;
            }
        }
        boolean primary =
                name.equals(table.getName() + "_pkey")
                        && !table.format().table().primaryKey().isEmpty();
        if (primary) {
            List<@Nullable StoredIndex> found = new ArrayList<>();
            found.add(null);
            return found;
        }
        throw new SqlException(
                SqlState.UNDEFINED_OBJECT,
                "constraint \"" + name + "\" for table \"" + table.getName() + "\" does not exist");
    }

    /** Inserts a row, or does to the row that exists what the clause says. */
    void add(SessionLocal h2, Row proposed) {
        switch (table.tryInsert(h2, proposed, false)) {
            case TableAccess.Insertion.Inserted inserted -> affected.add(inserted.key());
            case TableAccess.Insertion.Duplicate duplicate -> {
                TableRow existing = existing(h2, proposed);
                if (existing == null && !any) {
                    throw reported(
                            DuplicateKey.of(
                                    table.format().table(),
                                    duplicate.index(),
                                    table.values(proposed)));
                }
                OnConflict.Update update = clause.update();
                if (existing == null || update == null || !update(h2, existing, proposed)) {
                    throw DbException.get(ErrorCode.DUPLICATE_KEY_1, table.getName());
                }
            }
        }
    }

    private @Nullable TableRow existing(SessionLocal h2, Row proposed) {
        for (StoredIndex arbiter : arbiters) {
            TableRow existing = table.existing(h2, arbiter, proposed);
            if (existing != null) {
                return existing;
            }
        }
        return null;
    }

    /** False if the condition does not hold. */
    private boolean update(SessionLocal h2, TableRow existing, Row proposed) {
        if (affected.contains(existing.key())) {
            throw DbException.convert(
                    new SqlException(
                            SqlState.CARDINALITY_VIOLATION,
                            "ON CONFLICT DO UPDATE command cannot affect row a second time",
                            "Ensure that no rows proposed for insertion within the same command"
                                    + " have duplicate constrained values.",
                            0,
                            null));
        }
        Row before = table.row(existing);
        Value[] values = evaluation().of(before, proposed);
        if (!values[0].isTrue()) {
            return false;
        }
        Row after = Row.get(before.getValueList().clone(), Row.MEMORY_CALCULATE);
        after.setKey(before.getKey());
        for (int i = 0; i < assigned.size(); i++) {
            after.setValue(assigned.get(i).getColumnId(), values[i + 1]);
        }
        try {
            table.convertUpdateRow(h2, after, false);
            boolean _ = table.fireBeforeRow(h2, before, after);
            table.updateRow(h2, before, after);
            table.fireAfterRow(h2, before, after, false);
        } catch (DbException failed) {
            throw reported(failed);
        }
        affected.add(table.key(after, table.values(after)));
        for (int i = 0; i < after.getColumnCount(); i++) {
            proposed.setValue(i, after.getValue(i));
        }
        proposed.setKey(after.getKey());
        return true;
    }

    /** H2 would ignore a duplicate key. */
    private static DbException reported(DbException failed) {
        return failed.getErrorCode() == ErrorCode.DUPLICATE_KEY_1
                ? DbException.convert(H2Errors.translate(failed, List.of()))
                : failed;
    }

    private Evaluation evaluation() {
        Evaluation known = evaluation;
        if (known == null) {
            known = new Evaluation();
            evaluation = known;
        }
        return known;
    }

    /** Adds the types of parameters that only the clause has. */
    void addTypes(List<ColumnType> types) {
        if (clause.update() == null) {
            return;
        }
        Evaluation described = evaluation();
        for (int i = 0; i < described.used.size(); i++) {
            int number = described.used.get(i);
            while (types.size() < number) {
                types.add(ColumnType.UNKNOWN);
            }
            if (types.get(number - 1).type() == DataType.UNKNOWN) {
                types.set(number - 1, described.type(i));
            }
        }
    }

    /** The expressions of the clause, as a query over one row that exists and one proposed row. */
    private final class Evaluation {
        private final Prepared query;

        /** The statement's numbers of the parameters, in the order of the query's. */
        private final List<Integer> used = new ArrayList<>();

        private final List<String> expressions = new ArrayList<>();

        Evaluation() {
            OnConflict.Update update = clause.update();
            String condition = update == null ? null : update.condition();
            StringBuilder text = new StringBuilder("SELECT ");
            text.append(numbered(condition == null ? "TRUE" : "(" + condition + ")"));
            int position = 0;
            for (Assignment assignment :
                    update == null ? List.<Assignment>of() : update.assignments()) {
                String expression = assignment.expression();
                String known =
                        expression == null
                                ? defaultOf(assigned.get(position))
                                : numbered(expression);
                expressions.add(known);
                text.append(", ").append(known);
                position++;
            }
            text.append(" FROM ");
            row(text, 0, clause.alias());
            text.append(", ");
            row(text, table.getColumns().length, "excluded");
            query = session.prepare(text.toString(), true, true, null);
            if (!parameters.isEmpty()) {
                for (int i = 0; i < used.size(); i++) {
                    set(i, Values.toH2(parameters.get(used.get(i) - 1)));
                }
            }
        }

        private String defaultOf(Column column) {
            Expression value = column.getDefaultExpression();
            return value == null ? "NULL" : value.getSQL(HasSQL.DEFAULT_SQL_FLAGS);
        }

        private void row(StringBuilder text, int from, String alias) {
            text.append("(SELECT ");
            Column[] columns = table.getColumns();
            for (int i = 0; i < columns.length; i++) {
                text.append(i == 0 ? "CAST($" : ", CAST($")
                        .append(used.size() + from + i + 1)
                        .append(" AS ")
                        .append(columns[i].getType().getSQL(new StringBuilder(), 0))
                        .append(") AS ");
                text.append(columns[i].getSQL(HasSQL.DEFAULT_SQL_FLAGS));
            }
            text.append(") AS ").append(alias);
        }

        /** With the parameters of the expression numbered in the order of their use. */
        private String numbered(String expression) {
            StringBuilder text = new StringBuilder();
            int at = 0;
            while (at < expression.length()) {
                int end = SqlText.tokenEnd(expression, at);
                String token = expression.substring(at, end);
                if (token.matches("\\$[0-9]{1,5}")) {
                    int number = Integer.parseInt(token.substring(1));
                    if (number < 1 || (!parameters.isEmpty() && number > parameters.size())) {
                        throw new SqlException(
                                SqlState.UNDEFINED_PARAMETER,
                                String.format(Locale.ROOT, "there is no parameter $%d", number));
                    }
                    int known = used.indexOf(number);
                    if (known < 0) {
                        known = used.size();
                        used.add(number);
                    }
                    text.append('$').append(known + 1);
                } else {
                    text.append(token);
                }
                at = end;
            }
            return text.toString();
        }

        private void set(int index, Value value) {
            Parameter parameter = query.getParameters().get(index);
            parameter.setValue(value);
        }

        /** Whether the condition holds, and the assigned values. */
        Value[] of(Row existing, Row proposed) {
            Column[] columns = table.getColumns();
            for (int i = 0; i < columns.length; i++) {
                set(used.size() + i, existing.getValue(i));
                set(used.size() + columns.length + i, proposed.getValue(i));
            }
            try (ResultInterface result = query.query(1)) {
                if (!result.next()) {
                    return new Value[] {ValueBoolean.FALSE};
                }
                return result.currentRow().clone();
            }
        }

        /** A parameter that is assigned as it is has the type of the column. */
        ColumnType type(int parameter) {
            int position = expressions.indexOf("$" + (parameter + 1));
            return position < 0
                    ? Values.type(query.getParameters().get(parameter).getType())
                    : Values.type(assigned.get(position).getType());
        }
    }
}
