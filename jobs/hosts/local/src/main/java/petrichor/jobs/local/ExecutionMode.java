package petrichor.jobs.local;

import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.workers.WorkerSource;

/** Where the tasks of a plan run. */
sealed interface ExecutionMode {
    /** As threads of this process. */
    record Threads() implements ExecutionMode {}

    /** In worker processes on this machine, or on machines that are leased for their stages. */
    record WorkerProcesses(WorkerSource source) implements ExecutionMode {}

    /** In another runtime, such as Flink. */
    record OtherRuntime(StageRuntime runtime) implements ExecutionMode {}
}
