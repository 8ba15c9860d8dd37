package petrichor.placement.simulation;

/** What exists besides the tuples. */
public enum Indexing {
    /** Reads by tag ask every node that may hold such tuples. */
    NONE,
    /** Tables from mention and hashtag to tweets with their content: one node per read. */
    INDEXES,
    /** Also a materialised timeline per user with content: one node per read of a timeline. */
    TIMELINES
}
