package petrichor.jobs.service;

import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.leased.LeaseTerms;

/** The execution mode of a job: where its tasks run. */
public sealed interface Execution {
    /**
     * As threads of the process that has the plan.
     *
     * @param elastic whether stateless bottleneck tasks are scaled up and down while the job runs
     */
    record Threads(boolean elastic) implements Execution {}

    /** In {@code count} worker processes on the machine that has the plan. */
    record WorkerProcesses(int count) implements Execution {
        public WorkerProcesses {
            if (count < 1 || count > Workers.COUNT_MAX) {
                throw PetrichorException.invalid(
                        "a job runs in at most "
                                + Workers.COUNT_MAX
                                + " workers (0: in one process), not {count}",
                        "count",
                        count);
            }
        }
    }

    /** In worker processes on machines that are leased by these terms. */
    record LeasedMachines(LeaseTerms terms) implements Execution {}

    /** In another runtime, addressed as in {@link Backends#open}. */
    record OtherRuntime(String address) implements Execution {}

    /** From a description with an option for each mode; INVALID_ARGUMENT if it names two. */
    static Execution of(int workers, String backend, boolean elastic, @Nullable LeaseTerms cloud) {
        if (cloud != null && (workers > 0 || elastic || !backend.isEmpty())) {
            throw PetrichorException.invalid(
                    "cloud cannot be combined with workers, backend or elastic: a job on leased"
                            + " machines runs workers on them");
        }
        if (workers > 0 && !backend.isEmpty()) {
            throw PetrichorException.invalid("workers and a backend exclude each other");
        }
        if (elastic && (workers > 0 || !backend.isEmpty())) {
            throw PetrichorException.invalid(
                    "elastic scaling needs a job in one process: elastic cannot be combined with"
                            + " workers or a backend");
        }
        if (cloud != null) {
            return new LeasedMachines(cloud);
        }
        if (!backend.isEmpty()) {
            return new OtherRuntime(backend);
        }
        return workers == 0 ? new Threads(elastic) : new WorkerProcesses(workers);
    }
}
