package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.StageCut;

/** Files that the version before {@code progress.proto} wrote, except that paths are shortened. */
final class FormerFilesTest {
    private static final String KEPT = "20261124-042847-f76d";
    private static final List<String> SUBMISSION =
            List.of(
                    "class",
                    "arguments",
                    "workers",
                    "backend",
                    "learned",
                    "trial",
                    "elastic",
                    "parallelism",
                    "cloud");

    @TempDir private Path folder;

    private static Path former() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(FormerFilesTest.class.getResource("former")).toURI());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private static JobRecord job(List<JobRecord> jobs, String id) {
        return jobs.stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
    }

    /** All members of the former object, with their values; the present one may have more. */
    private static void contains(JsonElement present, JsonElement former, String where) {
        if (former instanceof JsonObject members) {
            for (Map.Entry<String, JsonElement> each : members.entrySet()) {
                String name = each.getKey().equals("begun") ? "started" : each.getKey();
                JsonElement value = present.getAsJsonObject().get(name);
                assertThat(value).as(where + "." + each.getKey()).isNotNull();
                contains(value, each.getValue(), where + "." + each.getKey());
            }
        } else if (former.isJsonArray()) {
            assertThat(present.getAsJsonArray()).as(where).hasSameSizeAs(former.getAsJsonArray());
            for (int i = 0; i < former.getAsJsonArray().size(); i++) {
                contains(
                        present.getAsJsonArray().get(i),
                        former.getAsJsonArray().get(i),
                        where + "[" + i + "]");
            }
        } else {
            assertThat(present).as(where).isEqualTo(former);
        }
    }

    @Test
    void historyIsReadAndRewrittenInFull() throws Exception {
        Path lines = Files.copy(former().resolve("history.jsonl"), folder.resolve("history.jsonl"));
        List<JobRecord> jobs = HistoryFile.open(lines, 100).history().jobs();
        for (String line : Files.readAllLines(lines)) {
            JsonObject was = JsonParser.parseString(line).getAsJsonObject();
            JobRecord job = job(jobs, was.get("id").getAsString());
            contains(ProgressJson.of(StatusMessages.of(job)), was, job.id());
        }
        assertThat(jobs).hasSize(7);

        JobRecord repeated = job(jobs, "20261124-042723-8f68");
        assertThat(repeated.attempts()).extracting(RepeatedStage::attempt).containsExactly(2);
        TaskRecord slow = repeated.tasks().getFirst();
        assertThat(slow.processing()).isEqualTo(Duration.ofMillis(1_293));
        assertThat(slow.lesson().finding()).isEqualTo("cpu");
        assertThat(slow.lesson().contracts())
                .containsExactly("2c97ac42b952a748", "8bf8cc75cf3dd3b0");
        assertThat(job(jobs, "20261124-042857-83fd").cost())
                .satisfies(
                        cost -> {
                            assertThat(cost.paidMicros()).isEqualTo(3_334);
                            assertThat(cost.stages().getLast().machines())
                                    .isEqualTo(Map.of("small", 2));
                            assertThat(cost.stages().getLast().number()).isEqualTo(1);
                        });
        JobRecord scaled = job(jobs, "20261122-120000-0001");
        assertThat(scaled.tasks().getFirst().scalings())
                .containsExactly(new TaskScaling(0, 1, 3, Duration.ofMillis(1_200), "busy 99 %"));
        assertThat(scaled.counters().groups().get("Seen"))
                .isEqualTo(Map.of("WORDS", 9_007_199_254_740_993L));
        assertThat(job(jobs, "20261124-042834-e924").resumes()).isEqualTo("20261124-042833-e8fd");
    }

    @Test
    void notesKeepAllMembers() throws Exception {
        try (var all = Files.walk(former())) {
            for (Path note : all.filter(each -> each.endsWith("job.json")).toList()) {
                JsonObject was = JsonParser.parseString(Files.readString(note)).getAsJsonObject();
                was = was.has("job") ? was.getAsJsonObject("job") : was;
                JsonObject present = JobSnapshot.parse(was).json(true);
                JsonObject submission = present.getAsJsonObject("submission");
                SUBMISSION.stream()
                        .filter(submission::has)
                        .forEach(name -> present.add(name, submission.get(name)));
                contains(present, was, was.get("id").getAsString());
            }
        }
    }

    @Test
    void aServiceOpensTheFolderOfItsPredecessor() throws Exception {
        Path jobs = folder.resolve("jobs");
        copy(former(), jobs);
        try (JobService service = JobService.open(JobSettings.in(jobs))) {
            List<JobRecord> all = service.history().jobs();
            assertThat(all).hasSize(11);
            assertThat(job(all, "20261122-120000-0002").failure())
                    .isEqualTo("the server was killed while the job was queued");
            assertThat(job(all, "20261124-042730-2096").failure())
                    .isEqualTo("the server was killed while it was running");
            JobRecord leased = job(all, "20261124-042828-da1b");
            assertThat(leased.state()).isEqualTo(JobState.FAILED);
            assertThat(leased.failure()).contains("its machines are released");
            assertThat(leased.cost()).isNotNull();
            assertThat(service.kept()).extracting(ResumableJob::id).containsExactly(KEPT);
        }
        assertThat(JobsHere.in(jobs.resolve("leased"))).isEmpty();
    }

    @Test
    void aKeptJobCanBeClaimedWithItsJar() throws Exception {
        copy(former(), folder.resolve("jobs"));
        ResumableJobs kept = new ResumableJobs(JobSettings.in(folder.resolve("jobs")));
        kept.checkJar(KEPT);
        JobSnapshot job = kept.claim(KEPT, "a test");
        LeaseTerms standard = LeaseTerms.STANDARD;
        assertThat(job.submission())
                .isEqualTo(
                        new Submission(
                                        null,
                                        List.of("--slow", "--in", "/data/in", "--out", "/data/out"))
                                .with(
                                        new Execution.LeasedMachines(
                                                new LeaseTerms(
                                                        List.of("small:1:320:0.10"),
                                                        2,
                                                        StageCut.EXCHANGES,
                                                        standard.billing(),
                                                        standard.waitMax()))));
        assertThat(ResumePoint.in(kept.files(KEPT)).stages()).isEqualTo(2);
    }

    @Test
    void everyKindOfSubmissionIsRead() throws Exception {
        Path running = former().resolve("running");
        assertThat(JobNote.read(running.resolve("20261122-120000-0002/job.json")).submission())
                .isEqualTo(
                        new Submission(
                                "org.example.Words",
                                List.of("--in", "a b"),
                                new Execution.Threads(true),
                                true,
                                true,
                                Map.of("2c97ac42b952a748", 3),
                                null));
        assertThat(
                        JobNote.read(running.resolve("20261124-042730-2096/job.json"))
                                .submission()
                                .execution())
                .isEqualTo(new Execution.WorkerProcesses(2));
        assertThat(
                        JobNote.read(running.resolve("20261122-120000-0004/job.json"))
                                .submission()
                                .execution())
                .isEqualTo(new Execution.OtherRuntime("flink://localhost:1"));
    }
}
