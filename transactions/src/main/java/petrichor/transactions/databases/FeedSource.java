package petrichor.transactions.databases;

import java.util.function.LongSupplier;
import petrichor.kv.Reads;
import petrichor.transactions.changes.KeptChanges;
import petrichor.transactions.changes.RowChangeFeed;
import petrichor.transactions.commit.DurableSteps;
import petrichor.transactions.rows.ReadPoint;

/**
 * What the change feed needs to know of a database.
 *
 * @param ceiling an upper bound of all versions in the store
 */
record FeedSource(DurableSteps steps, Retention retention, LongSupplier ceiling)
        implements RowChangeFeed.Source {
    @Override
    public void requireOwned() {
        steps.requireOwned();
    }

    @Override
    public long newestVersion() {
        return steps.readPoints().newestVersion();
    }

    @Override
    public long versionCeiling() {
        return ceiling.getAsLong();
    }

    @Override
    public ReadPoint at(long version) {
        return steps.readPoints().at(version);
    }

    @Override
    public Reads rows() {
        return steps.rows();
    }

    @Override
    public long takenVersion() {
        return steps.takenVersion();
    }

    @Override
    public KeptChanges kept() {
        return retention.kept();
    }

    @Override
    public KeptChanges keptAsStored() {
        return retention.stored();
    }
}
