package petrichor.apps.builds;

import java.time.Duration;

/** Progress of a build. */
public sealed interface BuildEvent {
    /** A stage has started. */
    record StageStarted(BuildStage stage) implements BuildEvent {}

    /**
     * A stage has succeeded. A stage that fails ends with the {@link BuildResult.BuildFailed} of
     * the build.
     *
     * @param reused the stage found its result in the cache
     */
    record StageFinished(BuildStage stage, Duration duration, boolean reused)
            implements BuildEvent {}

    /** A line that a command of the build has written, as in the log. */
    record Output(String line) implements BuildEvent {}
}
