package petrichor.jobs.jobgraph;

/**
 * What is known about a source's size; {@value #NOT_KNOWN} where nothing is.
 *
 * @param bytes bytes to read
 * @param records records in it
 */
public record SourceFigures(long bytes, long records) {
    public static final long NOT_KNOWN = -1;
    public static final SourceFigures UNKNOWN = new SourceFigures(NOT_KNOWN, NOT_KNOWN);

    public static SourceFigures ofBytes(long bytes) {
        return new SourceFigures(bytes, NOT_KNOWN);
    }
}
