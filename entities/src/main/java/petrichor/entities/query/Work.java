package petrichor.entities.query;

/** What answering a query took; counted as it happens. Belongs to one thread. */
final class Work {
    long indexEntriesScanned;
    long documentsScanned;
}
