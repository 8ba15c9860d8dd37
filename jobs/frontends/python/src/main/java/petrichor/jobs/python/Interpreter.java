package petrichor.jobs.python;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import petrichor.base.FileProblem;

/**
 * The Python interpreter of the workers.
 *
 * @param executable the interpreter that wrote the plan, so that functions behave the same
 * @param packages the folder of the package {@code petrichor}
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
