package petrichor.services.search;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the search service. Thread-safe. */
public final class SearchMetrics {
    final LongAdder searches = new LongAdder();
    final LongAdder documentsWritten = new LongAdder();
    final LongAdder documentsDeleted = new LongAdder();
    final LongAdder rebuilds = new LongAdder();
    final LongAdder changesReplayed = new LongAdder();
    final AtomicLong documentsToRebuild = new AtomicLong();

    public long searches() {
        return searches.sum();
    }

    public long documentsWritten() {
        return documentsWritten.sum();
    }

    public long documentsDeleted() {
        return documentsDeleted.sum();
    }

    /** Copies that were built from rows, since they were lost, damaged or too old. */
    public long rebuilds() {
        return rebuilds.sum();
    }

    /** Changes that opened copies lacked. */
    public long changesReplayed() {
        return changesReplayed.sum();
    }

    /** Documents that copies under construction still lack. */
    public long documentsToRebuild() {
        return documentsToRebuild.get();
    }
}
