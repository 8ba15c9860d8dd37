package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a statement. {@code tag} is the command tag without a count: {@code SELECT}, {@code
 * INSERT}, {@code CREATE TABLE}, {@code BEGIN}.
 */
public sealed interface StatementResult {
    String tag();

    /** A query; also a statement with RETURNING. The caller closes the rows. */
    record Rows(String tag, List<ResultColumn> columns, RowIterator rows)
            implements StatementResult {
        public Rows {
            columns = List.copyOf(columns);
        }
    }

    /** INSERT, UPDATE, DELETE, MERGE without RETURNING. */
    record Count(String tag, long rows) implements StatementResult {}

    /** Everything else. */
    record Done(String tag) implements StatementResult {}

    /**
     * DEALLOCATE: the front end forgets its prepared statements.
     *
     * @param name null for all
     */
    record Deallocated(String tag, @Nullable String name) implements StatementResult {}

    /** An empty text, or one of comments only. */
    record Empty() implements StatementResult {
        @Override
        public String tag() {
            return "";
        }
    }
}
