package petrichor.transactions.ring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.migration.MigrationContext;
import petrichor.transactions.migration.MovableCommitPoint;
import petrichor.transactions.rows.TableLayout;

/**
 * Changes the map of a ring: each change is a step of its own, after which the log is read again,
 * so that all stores have all steps before it. Commits wait meanwhile. Thread-safe.
 */
final class RingChanges {
    /** A change. */
    interface Edit {
        /**
         * @param version of the step
         */
        RingMap of(RingMap map, long version);
    }

    private final MigrationContext context;

    RingChanges(MigrationContext context) {
        this.context = context;
    }

    /** Null if the database has no ring. */
    @Nullable RingPoint point() {
        return context.steps().point().current() instanceof RingPoint ring ? ring : null;
    }

    RingPoint require() {
        RingPoint point = point();
        if (point == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has no ring; `petrichor ring create` makes one.",
                    "database",
                    context.database());
        }
        return point;
    }

    /** The first map of the database, which then has a ring. */
    void begin(RingMap first) {
        context.durable()
                .relocate(
                        (previous, version) -> {
                            MovableCommitPoint point = context.steps().point();
                            if (point.isMigrating()) {
                                throw changed();
                            }
                            return point.enterRing(
                                    RingRows.encode(first.at(version)), previous, version);
                        });
    }

    /**
     * Changes the map that the caller has seen; UNAVAILABLE if it is another one by now. Returns
     * how long commits waited, in nanoseconds.
     */
    long change(RingMap seen, Edit edit, List<RingRows.Deletion> deletions) {
        TableLayout layout = context.layout();
        // The log is read and applied again, without which the database could not be used.
        require().requireApplying();
        long began = context.time().monotonicNanos();
        context.durable()
                .relocate(
                        (previous, version) -> {
                            RingMap now = require().map();
                            if (now.version() != seen.version()) {
                                throw changed();
                            }
                            WriteBatch rows =
                                    new WriteBatch()
                                            .put(
                                                    TableLayout.META,
                                                    layout.ringKey(),
                                                    RingRows.encode(
                                                            edit.of(now, version).at(version)));
                            if (!deletions.isEmpty()) {
                                rows.put(
                                        TableLayout.META,
                                        RingRows.deletionKey(layout),
                                        RingRows.encode(deletions));
                            }
                            return context.steps()
                                    .point()
                                    .commitBetweenSteps(rows, previous, version);
                        });
        return context.time().monotonicNanos() - began;
    }

    private static PetrichorException changed() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE, "The ring was changed at the same time; retry.");
    }

    /** Deletes a part of a table in one store, in a step. */
    void delete(String store, String table, KeyRange range) {
        context.write(
                new WriteBatch()
                        .put(
                                TableLayout.META,
                                RingRows.deletionKey(context.layout()),
                                RingRows.encode(
                                        List.of(new RingRows.Deletion(store, table, range)))));
    }
}
