package petrichor.jobs.jobgraph;

/**
 * An estimate of a source's size; {@value #NOT_KNOWN} where it is unknown.
 *
 * @param bytes bytes to read
 * @param records number of records
 */
public record SourceMetrics(long bytes, long records) {
    public static final long NOT_KNOWN = -1;
    public static final SourceMetrics UNKNOWN = new SourceMetrics(NOT_KNOWN, NOT_KNOWN);

    public static SourceMetrics ofBytes(long bytes) {
        return new SourceMetrics(bytes, NOT_KNOWN);
    }
}
