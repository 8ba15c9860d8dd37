package petrichor.cli;

import petrichor.jobs.service.Backends;
import petrichor.jobs.service.Submission;
import picocli.CommandLine.Option;

/** What runs the tasks of a job, here or in a server. */
final class EngineChoice {
    @Option(
            names = "--workers",
            paramLabel = "N",
            description =
                    "In so many worker processes on the machine where it runs: when one dies, its"
                            + " stage begins again in new ones. Default: none of them")
    private int workers;

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            description =
                    "What runs its tasks, in place of Petrichor's own engine: flink, for a Flink in"
                            + " the job's process, or flink://HOST:PORT, for a cluster such as"
                            + " `petrichor flink start` makes.")
    private String backend = "";

    Submission submission(JobChoice choice) {
        if (!backend.isEmpty()) {
            Backends.silence();
        }
        return choice.submission().with(workers).on(backend);
    }

    /** Whether it is anything but the engine in one process. */
    boolean isMade() {
        return workers > 0 || !backend.isEmpty();
    }
}
