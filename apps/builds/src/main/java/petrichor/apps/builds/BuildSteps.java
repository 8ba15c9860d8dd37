package petrichor.apps.builds;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** How the apps of one language are built, with the tools that were found for this build. */
sealed interface BuildSteps permits PythonSteps, NodeSteps, GoSteps, JavaSteps {
    /** Finds the tools; FAILED_PRECONDITION says what to install. */
    static BuildSteps of(BuildRun run) throws IOException {
        return switch (run.request().runtime().family()) {
            case PYTHON -> PythonSteps.of(run);
            case NODE -> NodeSteps.of(run);
            case GO -> GoSteps.of(run);
            case JAVA -> JavaSteps.of(run);
        };
    }

    /** Names and versions of the tools that influence the result. */
    String toolchain();

    /** Installs dependencies and compiles, in the run's folders. */
    Start build(BuildRun run) throws IOException;

    /**
     * How to start what was built. {@link #CONTENT} is in place of the folder of the published
     * build.
     */
    record Start(List<String> command, Map<String, String> environment) {
        static final String CONTENT = "{content}";

        public Start {
            command = List.copyOf(command);
            environment = Map.copyOf(environment);
        }

        /** Of a shell command, in which {@code $PORT} is replaced. */
        static Start shell(String command, Map<String, String> environment) {
            return new Start(List.of("/bin/sh", "-c", command), environment);
        }

        /** The app's own entrypoint, or the default one. */
        static Start of(
                @Nullable String entrypoint, String otherwise, Map<String, String> environment) {
            return shell(entrypoint == null ? otherwise : entrypoint, environment);
        }
    }

    static PetrichorException noStart(String missing) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the app has no entrypoint and no {missing}: add an entrypoint to app.yaml",
                "missing",
                missing);
    }
}
