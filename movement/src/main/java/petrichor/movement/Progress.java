package petrichor.movement;

/** Hears how far a long move has come. Called from one thread at a time, some thousand times. */
@FunctionalInterface
public interface Progress {
    Progress SILENT = (_, _, _) -> {};

    /** {@code bytesTotal} is -1 when unknown. */
    void moved(long entities, long bytes, long bytesTotal);
}
