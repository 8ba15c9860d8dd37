package petrichor.transactions.migration;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.TableLayout;

/** What must be true before a migration starts or switches. Thread-safe. */
final class MigrationChecks {
    /** A plan counts no longer than this. */
    private static final long COUNT_NANOS_MAX = 10_000_000_000L;

    private static final int ROWS_PER_LOOK = 1_000;

    private final MigrationContext context;

    MigrationChecks(MigrationContext context) {
        this.context = context;
    }

    MigrationPlan plan(String to, boolean under) {
        List<String> problems = new ArrayList<>();
        try {
            require(to, under);
        } catch (PetrichorException refused) {
            problems.add(String.valueOf(refused.getMessage()));
        }
        long rows = 0;
        long bytes = 0;
        long end = context.time().monotonicNanos() + COUNT_NANOS_MAX;
        for (String table : MigrationContext.TABLES) {
            try (Scan scan =
                    context.durable()
                            .rows()
                            .scan(table, range(table), Direction.FORWARD, Integer.MAX_VALUE)) {
                while (scan.next()) {
                    rows++;
                    bytes += scan.key().length + scan.value().length;
                    if (rows % ROWS_PER_LOOK == 0 && context.time().monotonicNanos() > end) {
                        return new MigrationPlan(
                                context.steps().point().store(), to, rows, bytes, false, problems);
                    }
                }
            }
        }
        return new MigrationPlan(context.steps().point().store(), to, rows, bytes, true, problems);
    }

    private KeyRange range(String table) {
        TableLayout layout = context.layout();
        return switch (table) {
            case TableLayout.ROWS -> layout.allRows();
            case TableLayout.HISTORY -> layout.allHistory();
            default -> layout.allMeta();
        };
    }

    /** FAILED_PRECONDITION or NOT_FOUND if the migration cannot start. */
    void require(String to, boolean under) {
        context.stores().requireMovable();
        requireUnbranched();
        String from = context.steps().point().store();
        if (under) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is being migrated already; complete or cancel that"
                            + " migration first.",
                    "database",
                    context.database());
        }
        if (from.equals(MigrationStores.RING)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has a ring: `petrichor ring` moves its ranges.",
                    "database",
                    context.database());
        }
        if (to.equals(from)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is in the store {store} already.",
                    "database",
                    context.database(),
                    "store",
                    to);
        }
        if (isFormerStoreRead()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "Snapshots from before the last switch still read the store {store}; retry when"
                            + " they have ended.",
                    "store",
                    to);
        }
        requireFits(
                context.stores().store(from).capabilities(),
                context.stores().store(to).capabilities(),
                to);
    }

    private void requireUnbranched() {
        context.stores().requireUnbranched(context.database(), context.layout());
    }

    /** Whether snapshots from before the last switch still read rows in the former store. */
    boolean isFormerStoreRead() {
        return context.durable().readPoints().oldest() <= context.steps().point().movedAt();
    }

    /**
     * UNAVAILABLE if the database was taken again: the recovery that precedes a switch completes an
     * earlier switch that failed after its decision.
     */
    void requireNotTakenSince(long takeovers) {
        if (context.steps().point().takeovers() != takeovers) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database {database} was not switched: it recovered from a failure of its"
                            + " store. See where it is, and retry.",
                    "database",
                    context.database());
        }
    }

    /** UNAVAILABLE unless a switch has succeeded. */
    void requireSwitched(MigrationState before) {
        if (!context.steps().point().store().equals(before.to())) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database {database} was not switched: the store {store} failed; retry.",
                    "database",
                    context.database(),
                    "store",
                    before.from());
        }
    }

    private void requireFits(Capabilities from, Capabilities to, String store) {
        TransactionLimits limits = context.around().limits();
        // Each of them contains its copy while a migration runs, in one store after the other.
        long batch = Math.min(from.limits().batchBytesMax(), to.limits().batchBytesMax()) / 2;
        if (limits.withBatchesUpTo(batch).batchBytesMax() < limits.batchBytesMax()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database cannot be moved to the store {store}: one of the stores accepts"
                            + " batches of up to {bytes} bytes, which is too little for commits and"
                            + " their copies.",
                    "store",
                    store,
                    "bytes",
                    2 * batch);
        }
        if (to.valueBytesMax() < Math.min(from.valueBytesMax(), limits.commitBytesMax())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store {store} accepts values of up to {bytes} bytes, which is too little"
                            + " for rows that are valid now.",
                    "store",
                    store,
                    "bytes",
                    to.valueBytesMax());
        }
    }

    /** FAILED_PRECONDITION unless both stores are known to be equal. */
    void requireSwitchable(MigrationState state) {
        // A branch may have been made while the migration began.
        requireUnbranched();
        if (!state.phase().switchable()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} cannot be switched to the store {store} yet: the"
                            + " migration is in the phase {phase}.",
                    "database",
                    context.database(),
                    "store",
                    state.to(),
                    "phase",
                    state.phase());
        }
        if (state.verified().mismatches() > 0) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} was not switched to the store {store}: {mismatches}"
                            + " rows differ, {examples}. Cancel the migration and start it again.",
                    "database",
                    context.database(),
                    "store",
                    state.to(),
                    "mismatches",
                    state.verified().mismatches(),
                    "examples",
                    String.join(", ", state.verified().examples()));
        }
    }
}
