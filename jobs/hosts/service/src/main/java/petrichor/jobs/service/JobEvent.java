package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SourceFigures;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.leased.JobCost;

/** One thing that has happened to a submitted job. Data only. */
public sealed interface JobEvent {

    /** The job as a whole has gone on. */
    record Moved(JobState to) implements JobEvent {}

    /** What the plan was compiled to: one explanation per job graph. */
    record Compiled(String plan, List<PlanPart> parts) implements JobEvent {
        public Compiled {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A job graph begins: a part of the plan, or a round of an iteration.
     *
     * @param part from 0
     * @param round from 0
     */
    record Began(int part, int round, int stages, List<Task> tasks) implements JobEvent {
        public Began {
            tasks = List.copyOf(tasks);
        }
    }

    /** A subtask of the graph that runs has gone on; {@code why} is told where it fails. */
    record SubtaskMoved(SubtaskId subtask, TaskState to, @Nullable String why)
            implements JobEvent {}

    /** What subtasks of the graph that runs have done so far. */
    record Measured(SortedMap<SubtaskId, SubtaskFigures> figures) implements JobEvent {}

    /**
     * A task of the graph that runs has more or fewer subtasks than before.
     *
     * @param joined the new ones, those of tasks in the same threads included
     */
    record Scaled(TaskScaling scaling, List<SubtaskId> joined) implements JobEvent {
        public Scaled {
            joined = List.copyOf(joined);
        }
    }

    /** A stage of the graph that runs starts again; {@code why} says what was lost. */
    record Restarted(int stage, String why) implements JobEvent {}

    /**
     * The program's {@code main} submitted a job, which starts now.
     *
     * @param program by which all of its jobs together are called
     */
    record PlanStarted(String program, String name) implements JobEvent {}

    /** The job that {@code main} submitted last has ended; {@code main} goes on. */
    record PlanEnded(RunReport.SubmittedPlan plan) implements JobEvent {}

    /**
     * The job's code printed something.
     *
     * @param error whether to standard error
     */
    record Printed(boolean error, String text) implements JobEvent {}

    /**
     * The program's {@code main} ends the job's process, whose exit status is the program's.
     *
     * @param end as far as it is known
     */
    record Exiting(Ended end) implements JobEvent {}

    /** Nothing has happened; whoever tells this is alive. */
    record Alive() implements JobEvent {}

    /**
     * The end.
     *
     * @param code of the failure; null where there is none
     * @param cost of the machines that it had leased; null where there were none, and while they
     *     are not given back
     * @param counters what the job's own code has counted
     * @param exitStatus of the program's {@code main}, or {@link #USAGE}; null if the program is a
     *     plan and its command line is right
     */
    record Ended(
            JobState state,
            @Nullable ErrorCode code,
            @Nullable String why,
            Duration elapsed,
            long spilledBytes,
            @Nullable JobCost cost,
            JobCounters counters,
            @Nullable Integer exitStatus)
            implements JobEvent {
        /** The status of a program whose command line is wrong. */
        public static final int USAGE = 2;

        Ended(
                JobState state,
                @Nullable ErrorCode code,
                @Nullable String why,
                Duration elapsed,
                long spilledBytes) {
            this(state, code, why, elapsed, spilledBytes, null, JobCounters.NONE, null);
        }

        /** With more to say of why. */
        Ended with(String advice) {
            return new Ended(
                    state, code, why + advice, elapsed, spilledBytes, cost, counters, exitStatus);
        }

        Ended with(@Nullable JobCost paid) {
            return new Ended(state, code, why, elapsed, spilledBytes, paid, counters, exitStatus);
        }

        Ended with(JobCounters counted) {
            return new Ended(state, code, why, elapsed, spilledBytes, cost, counted, exitStatus);
        }

        /** Of a program whose {@code main} ended with this status. */
        Ended exited(int status) {
            boolean failed = status != 0 && state == JobState.FINISHED;
            return new Ended(
                    failed ? JobState.FAILED : state,
                    failed ? ErrorCode.FAILED_PRECONDITION : code,
                    failed ? "its main exited with status " + status : why,
                    elapsed,
                    spilledBytes,
                    cost,
                    counters,
                    status);
        }
    }

    /**
     * A task of a job graph.
     *
     * @param inputs ids of the tasks that feed it
     * @param contracts signatures of what it does of the plan
     * @param growable whether it may have another number of subtasks
     * @param sourceBytes what there is to read, of a source that knows; otherwise negative
     */
    record Task(
            int id,
            String name,
            String operation,
            int stage,
            int parallelism,
            String signature,
            List<Integer> inputs,
            List<String> contracts,
            boolean growable,
            long sourceBytes) {
        public Task {
            inputs = List.copyOf(inputs);
            contracts = List.copyOf(contracts);
        }

        void addTo(JsonObject json) {
            json.addProperty("id", id);
            json.addProperty("name", name);
            json.addProperty("operation", operation);
            json.addProperty("stage", stage);
            json.addProperty("signature", signature);
            JsonArray before = new JsonArray();
            inputs.forEach(before::add);
            json.add("inputs", before);
            JsonArray does = new JsonArray();
            contracts.forEach(does::add);
            json.add("contracts", does);
            json.addProperty("growable", growable);
            json.addProperty("sourceBytes", sourceBytes);
        }

        static Task of(JsonObject json, int parallelism) {
            List<Integer> before = new ArrayList<>();
            json.getAsJsonArray("inputs").forEach(each -> before.add(each.getAsInt()));
            List<String> does = new ArrayList<>();
            json.getAsJsonArray("contracts").forEach(each -> does.add(each.getAsString()));
            return new Task(
                    json.get("id").getAsInt(),
                    EventJson.text(json, "name"),
                    EventJson.text(json, "operation"),
                    json.get("stage").getAsInt(),
                    parallelism,
                    EventJson.text(json, "signature"),
                    before,
                    does,
                    json.get("growable").getAsBoolean(),
                    json.has("sourceBytes")
                            ? json.get("sourceBytes").getAsLong()
                            : SourceFigures.NOT_KNOWN);
        }
    }

    /** Why a job graph looks as it does; see {@link petrichor.jobs.pact.compiler.Explanation}. */
    record PlanPart(String text, String json, String drawing) {}
}
