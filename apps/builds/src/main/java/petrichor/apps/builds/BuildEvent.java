package petrichor.apps.builds;

import java.time.Duration;

/** Progress of a build. */
public sealed interface BuildEvent {
    BuildStage stage();

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
}
