package petrichor.transactions.migration;

import java.util.List;
import java.util.function.LongSupplier;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.commit.DurableSteps;
import petrichor.transactions.commit.GroupCommit;
import petrichor.transactions.log.FollowerRows;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;
import petrichor.transactions.scheduling.Scheduler;

/**
 * What a migration needs to know of its database.
 *
 * @param ceiling an upper bound of all versions in the store
 */
public record MigrationContext(
        String database,
        TableLayout layout,
        Steps steps,
        LongSupplier ceiling,
        MigrationStores stores,
        Surroundings around) {
    /** The steps of the database. */
    public record Steps(MovableCommitPoint point, DurableSteps durable, GroupCommit commits) {}

    /** The process. */
    public record Surroundings(TransactionLimits limits, TimeSource time, Scheduler scheduler) {}

    /** All tables of a store. */
    static final List<String> TABLES =
            List.of(TableLayout.ROWS, TableLayout.HISTORY, TableLayout.META);

    public DurableSteps durable() {
        return steps.durable;
    }

    public TimeSource time() {
        return around.time;
    }

    /** The steps up to this version are decided, and visible to {@link DurableSteps#rows}. */
    public long newestVersion() {
        return durable().readPoints().newestVersion();
    }

    /** Writes rows of the migration in a step, and waits for it. */
    public void write(WriteBatch rows) {
        Futures.join(steps.commits.write(rows));
    }

    FollowerRows follower(MigrationState state) {
        KeyValueStore store = stores.store(state.to());
        return new FollowerRows(store, layout);
    }
}
