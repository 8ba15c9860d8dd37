package petrichor.apps.builds;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Outcome of a build. */
public sealed interface BuildResult {
    /**
     * A runnable app. Its folder is immutable and belongs to the cache: it stays while {@link
     * BuildSettings#deployed} names its hash.
     *
     * @param folder the working directory of the app's processes
     * @param startCommand program and arguments; the shell replaces {@code $PORT}
     * @param environment variables that the app's processes need, including PATH
     * @param contentHash SHA-256 over the build's inputs, in hexadecimal; equal inputs on machines
     *     with equal interpreters have equal hashes
     * @param cached the cache had a build of the same inputs
     */
    record Built(
            Path folder,
            List<String> startCommand,
            Map<String, String> environment,
            String contentHash,
            boolean cached,
            Duration duration)
            implements BuildResult {
        public Built {
            startCommand = List.copyOf(startCommand);
            environment = Map.copyOf(environment);
        }

        /** What the build has compiled or unpacked beside the app's folder, for its processes. */
        public Path binaries() {
            return folder.resolveSibling(BuildRun.BINARIES);
        }
    }

    /**
     * The app was not built; the cache is as before.
     *
     * @param reason one line, from the package manager or compiler if that failed
     * @param log the complete output
     */
    record BuildFailed(BuildStage stage, String reason, Path log) implements BuildResult {}
}
