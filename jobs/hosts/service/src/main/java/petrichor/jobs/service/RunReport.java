package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;

/**
 * What happened on a job's way beside its tasks. Immutable.
 *
 * @param attempts stages that started again, the latest last; the first {@value #ATTEMPTS_MAX}
 * @param jobs those that the program's {@code main} submitted, in their order; the latest {@value
 *     #JOBS_MAX}; empty if the program is a plan
 * @param exitStatus of the program's {@code main}; null if it is a plan, or has not ended
 */
public record RunReport(
        List<RepeatedStage> attempts, List<SubmittedPlan> jobs, @Nullable Integer exitStatus) {
    static final int ATTEMPTS_MAX = 100;
    static final int JOBS_MAX = 1_000;

    static final RunReport NONE = new RunReport(List.of(), List.of(), null);

    public RunReport {
        attempts = List.copyOf(attempts);
        jobs = List.copyOf(jobs);
    }

    /**
     * A job that {@code main} submitted.
     *
     * @param failure null if there is none
     * @param elapsed null while it runs
     */
    public record SubmittedPlan(
            String name,
            JobState state,
            @Nullable String failure,
            @Nullable Duration elapsed,
            JobCounters counters) {}

    /** Whether the job is a program's {@code main}. */
    public boolean isMains() {
        return exitStatus != null || !jobs.isEmpty();
    }

    RunReport repeats(RepeatedStage stage) {
        if (attempts.size() == ATTEMPTS_MAX) {
            return this;
        }
        List<RepeatedStage> more = new ArrayList<>(attempts);
        more.add(stage);
        return new RunReport(more, jobs, exitStatus);
    }

    /** Which attempt it is if this stage starts again now. */
    int nextAttempt(int part, int round, int stage) {
        return 2
                + Math.toIntExact(
                        attempts.stream()
                                .filter(each -> each.part() == part && each.round() == round)
                                .filter(each -> each.stage() == stage)
                                .count());
    }

    RunReport submits(String name) {
        List<SubmittedPlan> more = new ArrayList<>(jobs);
        more.add(new SubmittedPlan(name, JobState.RUNNING, null, null, JobCounters.NONE));
        if (more.size() > JOBS_MAX) {
            more.removeFirst();
        }
        return new RunReport(attempts, more, exitStatus);
    }

    RunReport ends(SubmittedPlan last) {
        if (jobs.isEmpty()) {
            return this;
        }
        List<SubmittedPlan> more = new ArrayList<>(jobs);
        more.set(more.size() - 1, last);
        return new RunReport(attempts, more, exitStatus);
    }

    RunReport exits(@Nullable Integer status) {
        return new RunReport(attempts, jobs, status);
    }

    void addTo(JsonObject json) {
        addTo(json, attempts);
        if (!jobs.isEmpty()) {
            JsonArray all = new JsonArray();
            jobs.forEach(job -> all.add(json(job)));
            json.add("jobs", all);
        }
        if (exitStatus != null) {
            json.addProperty("exitStatus", exitStatus);
        }
    }

    static void addTo(JsonObject json, List<RepeatedStage> attempts) {
        if (attempts.isEmpty()) {
            return;
        }
        JsonArray all = new JsonArray();
        for (RepeatedStage each : attempts) {
            JsonObject one = new JsonObject();
            one.addProperty("part", each.part());
            one.addProperty("round", each.round());
            one.addProperty("stage", each.stage());
            one.addProperty("attempt", each.attempt());
            one.addProperty("why", each.why());
            all.add(one);
        }
        json.add("attempts", all);
    }

    static JsonObject json(SubmittedPlan job) {
        JsonObject json = new JsonObject();
        json.addProperty("name", job.name());
        json.addProperty("state", job.state().name());
        EventJson.add(json, "failure", job.failure());
        if (job.elapsed() != null) {
            json.addProperty("elapsedMillis", job.elapsed().toMillis());
        }
        CountersJson.add(json, job.counters());
        return json;
    }

    /** Of what {@link #addTo} wrote; older versions wrote nothing. */
    static RunReport of(JsonObject json) {
        List<SubmittedPlan> jobs = new ArrayList<>();
        for (JsonElement each : array(json, "jobs")) {
            jobs.add(plan(each.getAsJsonObject()));
        }
        return new RunReport(
                attempts(json),
                jobs,
                json.has("exitStatus") ? json.get("exitStatus").getAsInt() : null);
    }

    static SubmittedPlan plan(JsonObject json) {
        return new SubmittedPlan(
                EventJson.text(json, "name"),
                JobState.valueOf(EventJson.text(json, "state")),
                EventJson.find(json, "failure"),
                json.has("elapsedMillis")
                        ? Duration.ofMillis(json.get("elapsedMillis").getAsLong())
                        : null,
                CountersJson.of(json));
    }

    static List<RepeatedStage> attempts(JsonObject json) {
        List<RepeatedStage> attempts = new ArrayList<>();
        for (JsonElement each : array(json, "attempts")) {
            JsonObject one = each.getAsJsonObject();
            attempts.add(
                    new RepeatedStage(
                            one.get("part").getAsInt(),
                            one.get("round").getAsInt(),
                            one.get("stage").getAsInt(),
                            one.get("attempt").getAsInt(),
                            EventJson.text(one, "why")));
        }
        return attempts;
    }

    private static JsonArray array(JsonObject json, String name) {
        return json.has(name) ? json.getAsJsonArray(name) : new JsonArray();
    }
}
