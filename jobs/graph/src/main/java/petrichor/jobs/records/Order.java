package petrichor.jobs.records;

/** The direction of a key field. Null comes first ascending and last descending. */
public enum Order {
    ASCENDING,
    DESCENDING
}
