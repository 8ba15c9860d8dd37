package petrichor.entities.query;

/** What answering a query took; counted as it happens. Belongs to one thread. */
final class Work {
    long indexEntriesScanned;
    long documentsScanned;

    /** Times a scan was placed anew instead of stepping on. */
    long seeks;
}
