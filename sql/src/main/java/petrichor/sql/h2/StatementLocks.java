package petrichor.sql.h2;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.h2.engine.SessionLocal;
import org.h2.message.DbException;
import org.h2.result.Row;
import org.h2.value.ValueInteger;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.Cancellation;
import petrichor.sql.LockingClause;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.TableTransaction;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;

/**
 * The rows that one execution of a statement locks: H2 offers each row that meets the conditions of
 * a SELECT with a locking clause. A row that has changed since the version being read ends the
 * execution: it is repeated at the newest version, with the locks that it has. With SKIP LOCKED, it
 * continues with the row as it is now. Confined to one thread.
 */
final class StatementLocks {
    static final StatementLocks NONE =
            new StatementLocks(List.of(), false, null, null, Duration.ZERO, Cancellation.never());

    /**
     * Changed rows that a statement locks: each may cost a round trip to the store. Conflicts about
     * the others are found at the commit.
     */
    private static final int LOCKED_CHANGES_MAX = 32;

    /** No limit: the transaction expires before. */
    private static final Duration UNLIMITED = Duration.ofHours(1);

    /** How the rows of a SELECT are locked. */
    private enum Phase {
        /** As they are found. */
        FOUND,
        /** Not yet: the matches are collected. */
        COLLECTED,
        /** They were locked in the order of the result: only those are returned. */
        CHOSEN
    }

    /** A row to be locked. */
    private record Target(String table, byte[] key) {}

    private final Map<Integer, LockingClause> clauses = new HashMap<>();
    private final Map<Integer, Phase> phases = new HashMap<>();
    private final Map<Integer, Set<Bytes>> chosen = new HashMap<>();
    private final Map<String, Target> current = new HashMap<>();
    private final List<List<Target>> matches = new ArrayList<>();
    private final boolean changes;
    private final @Nullable TableTransaction transaction;
    private final @Nullable SessionLocal session;
    private final Duration lockTimeout;
    private final Cancellation cancellation;
    private boolean stale;
    private boolean offered;
    private int lockedChanges;

    private StatementLocks(
            List<LockingClause> clauses,
            boolean changes,
            @Nullable TableTransaction transaction,
            @Nullable SessionLocal session,
            Duration lockTimeout,
            Cancellation cancellation) {
        clauses.forEach(clause -> this.clauses.put(clause.number(), clause));
        this.changes = changes;
        this.transaction = transaction;
        this.session = session;
        this.lockTimeout = lockTimeout;
        this.cancellation = cancellation;
    }

    /**
     * @param changes whether to lock rows before they are changed, if the statement does that
     * @param lockTimeout zero for none
     * @param cancellation ends waits; its deadline is that of the statement
     */
    static StatementLocks of(
            List<LockingClause> clauses,
            boolean changes,
            TableTransaction transaction,
            SessionLocal session,
            Duration lockTimeout,
            Cancellation cancellation) {
        return clauses.isEmpty() && !changes
                ? NONE
                : new StatementLocks(
                        clauses, changes, transaction, session, lockTimeout, cancellation);
    }

    /** Whether rows are locked before they are changed. */
    boolean changes() {
        return changes;
    }

    /** Whether no SELECT locks rows. */
    boolean isEmpty() {
        return clauses.isEmpty();
    }

    /** Whether the statement skips rows: then its scans are not validated. */
    boolean skips() {
        return clauses.values().stream()
                .anyMatch(clause -> clause.policy() == LockingClause.WaitPolicy.SKIP);
    }

    /** Whether the execution ended because a row had changed: repeat it at the newest version. */
    boolean stale() {
        return stale;
    }

    /** Whether a row of a table was to be locked. */
    boolean offered() {
        return offered;
    }

    /** Matches of this SELECT are collected until {@link #choose}. */
    void collect(LockingClause clause) {
        matches.clear();
        current.clear();
        phases.put(clause.number(), Phase.COLLECTED);
    }

    /**
     * Locks the rows of a collected match.
     *
     * @return false if it is to be skipped
     */
    boolean lockMatch(LockingClause clause, int match) {
        for (Target target : matches.get(match)) {
            if (!lock(clause, target)) {
                return false;
            }
            requireFresh(target);
        }
        Set<Bytes> rows = chosen.computeIfAbsent(clause.number(), _ -> new HashSet<>());
        matches.get(match).forEach(target -> rows.add(Bytes.of(target.key())));
        return true;
    }

    /** This SELECT returns only the rows that were locked. */
    void choose(LockingClause clause) {
        phases.put(clause.number(), Phase.CHOSEN);
        chosen.putIfAbsent(clause.number(), new HashSet<>());
    }

    /** This SELECT cannot be executed on its own: its rows are locked as they are found. */
    void lockAsFound(LockingClause clause) {
        phases.put(clause.number(), Phase.FOUND);
    }

    /**
     * H2 calls this for a row that meets the conditions of a SELECT, and for each changed row.
     *
     * @param clauseMillis thousand times the number of the clause; negative for a changed row
     * @param read reads the row again
     * @return the row to continue with; null to skip it
     */
    @Nullable Row lock(
            String table, byte[] key, Row row, int clauseMillis, Supplier<@Nullable Row> read) {
        if (clauseMillis < 0) {
            lockChange(new Target(table, key));
            return row;
        }
        LockingClause clause = clauses.get(clauseMillis / 1_000);
        if (clauseMillis == 0 || clause == null || !clause.locks(table)) {
            return row;
        }
        offered = true;
        Target target = new Target(table, key);
        return switch (phases.getOrDefault(clause.number(), Phase.FOUND)) {
            case COLLECTED -> {
                current.put(table, target);
                matches.add(List.copyOf(current.values()));
                session().setVariable(LockingClause.MATCH, ValueInteger.get(matches.size() - 1));
                yield row;
            }
            case CHOSEN -> {
                Set<Bytes> rows = chosen.get(clause.number());
                yield rows != null && rows.contains(Bytes.of(key)) ? row : null;
            }
            case FOUND -> lockFound(clause, target, row, read);
        };
    }

    private @Nullable Row lockFound(
            LockingClause clause, Target target, Row row, Supplier<@Nullable Row> read) {
        if (!lock(clause, target)) {
            return null;
        }
        if (clause.policy() != LockingClause.WaitPolicy.SKIP) {
            requireFresh(target);
            return row;
        }
        if (changed(target)) {
            transaction().readAgain(-1);
            return read.get();
        }
        return row;
    }

    /** Others that change the row wait, so that this transaction does not lose it to them. */
    private void lockChange(Target target) {
        if (!changes || lockedChanges == LOCKED_CHANGES_MAX || transaction().wrote(target.key())) {
            return;
        }
        lockedChanges++;
        if (lock(LockingClause.WaitPolicy.WAIT, LockStrength.EXCLUSIVE, target)) {
            requireFresh(target);
        }
    }

    private boolean changed(Target target) {
        return !transaction().wrote(target.key()) && transaction().changedSince(target.key());
    }

    private void requireFresh(Target target) {
        if (changed(target)) {
            stale = true;
            throw DbException.convert(
                    new SqlException(
                            SqlState.SERIALIZATION_FAILURE,
                            "could not serialize access due to concurrent update"));
        }
    }

    private boolean lock(LockingClause clause, Target target) {
        return lock(clause.policy(), clause.strength(), target);
    }

    private boolean lock(LockingClause.WaitPolicy policy, LockStrength strength, Target target) {
        Duration most =
                switch (policy) {
                    case NOWAIT, SKIP -> Duration.ZERO;
                    case WAIT -> lockTimeout.isZero() ? UNLIMITED : lockTimeout;
                };
        LockResult[] result = new LockResult[1];
        cancellation.run(() -> result[0] = transaction().lock(target.key(), strength, most));
        return switch (result[0]) {
            case LOCKED -> true;
            case DEADLOCK -> throw failure(SqlState.DEADLOCK_DETECTED, "deadlock detected");
            case ENDED ->
                    throw failure(
                            SqlState.SERIALIZATION_FAILURE,
                            "the transaction has expired, or its database has moved, while it"
                                    + " waited for a lock");
            case NOT_AVAILABLE ->
                    switch (policy) {
                        case SKIP -> false;
                        case NOWAIT ->
                                throw failure(
                                        SqlState.LOCK_NOT_AVAILABLE,
                                        "could not obtain lock on row in relation \""
                                                + target.table()
                                                + "\"");
                        case WAIT -> throw waitEnded();
                    };
        };
    }

    private DbException waitEnded() {
        if (cancellation.isCancelled()) {
            return failure(SqlState.QUERY_CANCELED, "canceling statement due to user request");
        }
        if (cancellation.remainingNanos() <= 0) {
            return failure(SqlState.QUERY_CANCELED, "canceling statement due to statement timeout");
        }
        return failure(SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
    }

    /** Passes through H2 as the cause of its own exception. */
    private static DbException failure(String state, String message) {
        return DbException.convert(new SqlException(state, message));
    }

    private TableTransaction transaction() {
        TableTransaction running = transaction;
        if (running == null) {
            throw new IllegalStateException("the statement locks no rows");
        }
        return running;
    }

    private SessionLocal session() {
        SessionLocal running = session;
        if (running == null) {
            throw new IllegalStateException("the statement locks no rows");
        }
        return running;
    }
}
