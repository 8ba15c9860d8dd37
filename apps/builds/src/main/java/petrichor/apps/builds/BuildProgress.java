package petrichor.apps.builds;

/**
 * Receives the events of one build, on the thread that builds; lines of output, on the thread that
 * reads them.
 */
@FunctionalInterface
public interface BuildProgress {
    /** For callers that only want the result. */
    BuildProgress NONE = _ -> {};

    void accept(BuildEvent event);
}
