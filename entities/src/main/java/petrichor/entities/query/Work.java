package petrichor.entities.query;

import petrichor.base.Cancellation;

/**
 * Counts the work of answering a query. Every query calls this for each row that it reads, so this
 * also stops queries whose client has disconnected or whose deadline has passed. Confined to one
 * thread.
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

    /** Counts an index entry read. DEADLINE_EXCEEDED if the client has disconnected. */
    void entryScanned() {
        if (++indexEntriesScanned % ENTRIES_PER_CHECK == 0) {
            Cancellation.checkCurrent();
        }
    }

    /** Counts entities about to be read. DEADLINE_EXCEEDED if the client has disconnected. */
    void documentsScanned(int documents) {
        Cancellation.checkCurrent();
        documentsScanned += documents;
    }
}
