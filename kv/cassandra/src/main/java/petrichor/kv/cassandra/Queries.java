package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of requests: reads at QUORUM, reads that are linearizable with conditional writes
 * (SERIAL), plain writes at QUORUM that carry their own timestamps and may therefore be retried,
 * and conditional writes, which may not. Thread-safe.
 */
record Queries(CqlSession session, String keyspace, CassandraFailures failures) {

    /** Disables paging in the driver: every query has a limit. */
    private static final int PAGE_SIZE = Integer.MAX_VALUE;

    PreparedStatement read(String cql) {
        return prepare(cql, DefaultConsistencyLevel.QUORUM, true);
    }

    PreparedStatement readLinearizably(String cql) {
        return prepare(cql, DefaultConsistencyLevel.SERIAL, true);
    }

    PreparedStatement timestampedWrite(String cql) {
        return prepare(cql, DefaultConsistencyLevel.QUORUM, true);
    }

    PreparedStatement conditionalWrite(String cql) {
        return prepare(cql, DefaultConsistencyLevel.QUORUM, false);
    }

    private PreparedStatement prepare(String cql, ConsistencyLevel level, boolean idempotent) {
        SimpleStatement statement =
                SimpleStatement.builder(cql.replace("$", keyspace))
                        .setConsistencyLevel(level)
                        .setSerialConsistencyLevel(DefaultConsistencyLevel.SERIAL)
                        .setIdempotence(idempotent)
                        .setPageSize(PAGE_SIZE)
                        .build();
        try {
            return session.prepare(statement);
        } catch (RuntimeException failed) {
            throw failures.of(failed);
        }
    }

    /** A batch within one partition, so that it is applied atomically. */
    static BatchStatement batch(List<BatchableStatement<?>> statements, boolean idempotent) {
        return BatchStatement.builder(BatchType.UNLOGGED)
                .addStatements(statements)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setSerialConsistencyLevel(DefaultConsistencyLevel.SERIAL)
                .setIdempotence(idempotent)
                .build();
    }

    CompletableFuture<AsyncResultSet> ask(Statement<?> statement) {
        return failures.translated(session.executeAsync(statement));
    }

    /** Fails with the driver's own exceptions. */
    CompletionStage<AsyncResultSet> askUntranslated(Statement<?> statement) {
        return session.executeAsync(statement);
    }

    List<Row> rows(Statement<?> statement) {
        AsyncResultSet answer = await(ask(statement));
        return rows(answer);
    }

    static List<Row> rows(AsyncResultSet answer) {
        List<Row> rows = new java.util.ArrayList<>(answer.remaining());
        answer.currentPage().forEach(rows::add);
        return rows;
    }

    @Nullable Row row(Statement<?> statement) {
        return await(ask(statement)).one();
    }

    /** Whether a conditional write was applied. */
    boolean applied(Statement<?> statement) {
        return await(ask(statement)).wasApplied();
    }

    <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw failures.of(e);
        }
    }
}
