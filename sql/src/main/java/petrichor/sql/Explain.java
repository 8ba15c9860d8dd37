package petrichor.sql;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.Timeouts;

/** Executes EXPLAIN. */
final class Explain {
    private Explain() {}

    static StatementResult execute(
            SqlSession session,
            Block open,
            StatementText statement,
            List<@Nullable Object> parameters,
            Timeouts timeouts) {
        ExplainOptions options = options(statement);
        StatementText explained = StatementText.parse(options.statement());
        PlanNode plan =
                session.lent(
                        open,
                        h2 ->
                                h2.explain(
                                        open.transaction(),
                                        open.transaction().mark(),
                                        explained.executable(),
                                        parameters,
                                        timeouts,
                                        options.analyze()));
        return options.result(plan);
    }

    /**
     * @param describe of the statement that is explained
     */
    static H2Session.Description describe(
            StatementText statement, Function<StatementText, H2Session.Description> describe) {
        ExplainOptions options = options(statement);
        StatementText explained = StatementText.parse(options.statement());
        return new H2Session.Description(
                describe.apply(explained).parameters(), List.of(options.column()));
    }

    private static ExplainOptions options(StatementText statement) {
        ExplainOptions options = statement.explain();
        if (options == null) {
            throw new IllegalArgumentException("not an EXPLAIN");
        }
        return options;
    }
}
