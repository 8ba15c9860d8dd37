package petrichor.movement;

/**
 * Receives the progress of an export or import. Called by one thread at a time, up to some thousand
 * times.
 */
@FunctionalInterface
public interface Progress {
    Progress SILENT = (_, _, _) -> {};

    /** {@code bytesTotal} is -1 if unknown. */
    void moved(long entities, long bytes, long bytesTotal);
}
