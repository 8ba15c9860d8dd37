package petrichor.cli.jobs;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.service.Backends;
import petrichor.jobs.service.Execution;
import petrichor.jobs.service.Submission;
import picocli.CommandLine.Option;

/** The options that select the engine for the tasks of a job, locally or on a server. */
final class EngineChoice {
    @Option(
            names = "--workers",
            paramLabel = "N",
            description =
                    "Run the job in this many worker processes on one machine; if one dies, its"
                            + " stage restarts in new ones. Default: no worker processes")
    private int workers;

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            description =
                    "Run the tasks on Flink instead of Petrichor's engine: flink for a Flink in the"
                            + " job's process, or flink://HOST:PORT for a cluster such as that of"
                            + " `petrichor flink start`.")
    private String backend = "";

    Submission submission(JobChoice choice) {
        return submission(choice, false, null);
    }

    /**
     * @param terms lease terms of machines; null if no machines are leased
     */
    Submission submission(JobChoice choice, boolean elastic, @Nullable LeaseTerms terms) {
        if (!backend.isEmpty()) {
            Backends.silence();
        }
        return choice.submission().with(Execution.of(workers, backend, elastic, terms));
    }

    /** Whether an option selects another engine than the default, which runs in one process. */
    boolean isSet() {
        return workers > 0 || !backend.isEmpty();
    }
}
