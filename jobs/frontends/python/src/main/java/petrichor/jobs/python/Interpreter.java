package petrichor.jobs.python;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import petrichor.base.FileProblem;

/**
 * The Python that runs workers.
 *
 * @param executable the one that wrote the plan, so that functions mean the same to both
 * @param packages the folder in which the package {@code petrichor} lies
 */
record Interpreter(String executable, String packages) implements Serializable {
    private static final String SEARCH_PATH = "PYTHONPATH";

    Process start() {
        var builder = new ProcessBuilder(executable, "-m", "petrichor.jobs.worker");
        var environment = builder.environment();
        environment.merge(
                SEARCH_PATH, packages, (before, first) -> first + File.pathSeparator + before);
        try {
            return builder.start();
        } catch (IOException e) {
            throw FileProblem.of("cannot start a Python worker with " + executable, e);
        }
    }
}
