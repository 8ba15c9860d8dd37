package petrichor.cli.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.service.Submission;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The program and its arguments, for `job run` and `job explain`. */
final class JobChoice {
    @Option(
            names = {"-c", "--class"},
            paramLabel = "CLASS",
            description =
                    "Class of the job in the jar, a JobProgram. Default: the manifest's Main-Class")
    private @Nullable String program;

    @Parameters(
            index = "0",
            paramLabel = "JAR",
            description = "Jar with the job, or a plan of the Python front end.")
    private Path jar = Path.of("");

    @Parameters(
            index = "1..*",
            paramLabel = "ARGUMENT",
            description = "Arguments passed to the job.")
    private List<String> arguments = new ArrayList<>();

    /** Fails unless this program is the one of the resumable job. */
    void checkSame(ResumableJob job) {
        job.checkSame(jar);
    }

    Path jar() {
        return jar;
    }

    Submission submission() {
        return new Submission(program, arguments);
    }
}
