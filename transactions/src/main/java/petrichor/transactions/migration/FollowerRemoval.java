package petrichor.transactions.migration;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.FollowerRows;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.rows.TableLayout;

/** Removes all rows of a database in a store that does not hold it. Stateless. */
final class FollowerRemoval {
    private FollowerRemoval() {}

    /**
     * Returns the version of the step there. UNAVAILABLE if the store fails; repeat it then.
     *
     * @param confirmation rows to write in the store that holds the database, once the other one is
     *     taken: fails if another process owns the database, which may even be in the other store
     */
    static long run(MigrationContext context, String store, WriteBatch confirmation) {
        TableLayout layout = context.layout();
        // Rows of a copier that another process left running would stay.
        FollowerRows follower = new FollowerRows(context.stores().store(store), layout);
        var _ = follower.takeCopiers(Copy.WORKERS);
        CommitPoint point = context.stores().commitPoints(store).of(layout, () -> false);
        try (point) {
            CommitPoint.LastCommit last = point.take().last();
            context.write(confirmation);
            // Above those of all rows there: clocks may differ.
            long version =
                    Math.max(
                            context.time().epochMicros(),
                            Math.max(last.version(), context.newestVersion()) + 1);
            // Late steps of an earlier migration would stay as well.
            WriteBatch mark = follower.mark(version + 1);
            if (!mark.isEmpty()) {
                write(point, mark, version, store);
                follower.shutOutSteps();
            }
            WriteBatch rows =
                    new WriteBatch()
                            .deleteRange(TableLayout.META, layout.allMeta())
                            .deleteRange(TableLayout.ROWS, layout.allRows())
                            .deleteRange(TableLayout.HISTORY, layout.allHistory());
            write(point, rows, version + 1, store);
            // Applies the log of a store that has one.
            var _ = point.take();
            return version + 1;
        }
    }

    private static void write(CommitPoint point, WriteBatch rows, long version, String store) {
        if (point.commit(rows, version, StepMemory.NONE) != DurableStep.Outcome.DONE) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The rows in the store {store} could not be removed; retry.",
                    "store",
                    store);
        }
    }
}
