package petrichor.jobs.jobgraph;

/**
 * An estimate of a source's size; {@value #NOT_KNOWN} where it is unknown.
 *
 * @param bytes bytes to read
 * @param records number of records
 */
public record SourceFigures(long bytes, long records) {
    public static final long NOT_KNOWN = -1;
    public static final SourceFigures UNKNOWN = new SourceFigures(NOT_KNOWN, NOT_KNOWN);

    public static SourceFigures ofBytes(long bytes) {
        return new SourceFigures(bytes, NOT_KNOWN);
    }
}
