package petrichor.jobs.jobgraph;

/**
 * An estimate of a source's size; {@value #NOT_KNOWN} where it is unknown.
 *
 * @param bytes bytes to read
 * @param records number of records
 */
public record SourceEstimate(long bytes, long records) {
    public static final long NOT_KNOWN = -1;
    public static final SourceEstimate UNKNOWN = new SourceEstimate(NOT_KNOWN, NOT_KNOWN);

    public static SourceEstimate ofBytes(long bytes) {
        return new SourceEstimate(bytes, NOT_KNOWN);
    }
}
