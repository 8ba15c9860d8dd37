package petrichor.jobs.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.pact.Plan;

/**
 * Reads plans that another language's front end has written as JSON documents. The implementation
 * is found as a service, so that a program without such a front end need not contain it.
 */
public interface PlanFiles {
    Plan read(Path document);

    /** Whether the file is such a document rather than a jar. */
    static boolean isDocument(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return in.read() == '{';
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + file, e);
        }
    }

    static PlanFiles installed() {
        return ServiceLoader.load(PlanFiles.class, PlanFiles.class.getClassLoader())
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.UNIMPLEMENTED,
                                        "this program cannot read plans of other languages; add"
                                                + " jobs-python to the class path"));
    }
}
