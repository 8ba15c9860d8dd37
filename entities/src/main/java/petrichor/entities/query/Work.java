package petrichor.entities.query;

import petrichor.base.Cancellation;

/**
 * What answering a query took; counted as it happens. Every query passes here for each row that it
 * reads, so this is where one stops whose client has left or whose deadline has passed. Belongs to
 * one thread.
 */
final class Work {
    private static final int ENTRIES_PER_CHECK = 256;

    private long indexEntriesScanned;
    private long documentsScanned;

    long indexEntriesScanned() {
        return indexEntriesScanned;
    }

    long documentsScanned() {
        return documentsScanned;
    }

    /** An index entry was read. DEADLINE_EXCEEDED if its client has left. */
    void entryScanned() {
        if (++indexEntriesScanned % ENTRIES_PER_CHECK == 0) {
            Cancellation.checkCurrent();
        }
    }

    /** Entities are about to be read. DEADLINE_EXCEEDED if its client has left. */
    void documentsScanned(int documents) {
        Cancellation.checkCurrent();
        documentsScanned += documents;
    }
}
