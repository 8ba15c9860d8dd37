package petrichor.transactions.migration;

import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.log.FollowerRows;
import petrichor.transactions.log.LogRecord;
import petrichor.transactions.rows.TableLayout;

/**
 * Applies captured steps to the store that follows, in order. The position is in memory; it is
 * stored from time to time, and steps that are applied again have no effect. Confined to the thread
 * that holds the migration.
 */
final class Replay {
    private static final long PIECE_BYTES_MAX = 1L << 20;

    private final MigrationContext context;
    private final FollowerRows follower;
    private long position;

    Replay(MigrationContext context, FollowerRows follower, long position) {
        this.context = context;
        this.follower = follower;
        this.position = position;
    }

    FollowerRows follower() {
        return follower;
    }

    /** All steps up to this version are applied. */
    long position() {
        return position;
    }

    /**
     * Applies a piece, and returns its size in steps; 0 if everything up to a version is applied.
     */
    int piece(long upTo) {
        if (position >= upTo) {
            return 0;
        }
        List<LogRecord.Batch> steps =
                MigrationRows.read(
                        context.durable().rows(),
                        context.layout(),
                        position,
                        upTo,
                        PIECE_BYTES_MAX);
        if (steps.isEmpty()) {
            position = upTo;
            return 0;
        }
        follower.apply(steps);
        position = steps.getLast().version();
        return steps.size();
    }

    /**
     * Applies everything up to the last step, and checks that the other store has its record.
     *
     * @param last its version; no step may follow it meanwhile
     */
    void complete(long last) {
        while (piece(last) > 0) {
            // until nothing is left
        }
        byte[] key = context.layout().changeKey(last, 0);
        boolean here = context.durable().rows().get(TableLayout.META, key) != null;
        if (here && follower.store().get(TableLayout.META, key) == null) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "The database {database} was not switched: the store that follows lacks its"
                            + " last step. Cancel the migration, and start it again.",
                    "database",
                    context.database());
        }
    }
}
