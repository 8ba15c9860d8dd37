package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.RowArrays;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * Executes the changes in a WITH clause one after the other, each once, before the statement that
 * follows. All of them read what the transaction had written before the first one; the statement
 * reads their rows, which are kept in memory, as parameters. Confined to one thread.
 */
final class ChangesInWith {
    /** Executes or describes one statement. */
    interface Executor {
        StatementResult execute(StatementText statement, List<@Nullable Object> parameters);

        H2Session.Description describe(StatementText statement);
    }

    private final WithClause clause;
    private final Executor executor;
    private final List<WithClause.Member> defined = new ArrayList<>();

    ChangesInWith(WithClause clause, Executor executor) {
        this.clause = clause;
        this.executor = executor;
    }

    StatementResult execute(List<@Nullable Object> given) {
        List<@Nullable Object> parameters = new ArrayList<>(given);
        for (WithClause.Member member : clause.members()) {
            if (!member.changes()) {
                defined.add(member);
                continue;
            }
            StatementText change = StatementText.parse(clause.with(defined, member.body()));
            if (executor.execute(change, parameters)
                    instanceof
                    StatementResult.Rows(_, List<ResultColumn> columns, RowIterator rows)) {
                RowArrays arrays = new RowArrays(columns);
                try (rows) {
                    while (rows.next()) {
                        arrays.add(rows);
                    }
                }
                String body = arrays.query(parameters.size() + 1);
                parameters.addAll(arrays.values());
                defined.add(named(member, columns, body));
            }
        }
        return executor.execute(main(), parameters);
    }

    private StatementText main() {
        return StatementText.parse(clause.with(defined, clause.main()));
    }

    private static WithClause.Member named(
            WithClause.Member member, List<ResultColumn> columns, String body) {
        String names = member.columns().isEmpty() ? RowArrays.names(columns) : member.columns();
        return new WithClause.Member(member.name(), names, body, false);
    }

    H2Session.Description describe() {
        List<ColumnType> parameters = new ArrayList<>();
        for (WithClause.Member member : clause.members()) {
            if (!member.changes()) {
                defined.add(member);
                continue;
            }
            H2Session.Description change =
                    executor.describe(StatementText.parse(clause.with(defined, member.body())));
            merge(parameters, change.parameters());
            if (!change.columns().isEmpty()) {
                defined.add(named(member, change.columns(), RowArrays.nulls(change.columns())));
            }
        }
        H2Session.Description main = executor.describe(main());
        merge(parameters, main.parameters());
        return new H2Session.Description(parameters, main.columns());
    }

    private static void merge(List<ColumnType> all, List<ColumnType> some) {
        for (int i = 0; i < some.size(); i++) {
            if (i == all.size()) {
                all.add(some.get(i));
            } else if (all.get(i).type() == DataType.UNKNOWN) {
                all.set(i, some.get(i));
            }
        }
    }
}
