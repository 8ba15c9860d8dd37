package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.cli.CommandRun;
import petrichor.cli.console.ExitCode;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Tests the command {@code job}, in this process and against a server. */
@Timeout(60)
final class JobCommandTest {
    private static final String SOURCE =
            """
            import java.io.File;
            import java.util.concurrent.locks.LockSupport;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.parquet.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Words implements JobProgram {
                static final RecordType WORD = RecordType.of(Field.text("word"));

                @Override
                public Plan plan(Arguments arguments) {
                    boolean slow = arguments.flag("slow");
                    Plan plan = Plan.named("words").parallelism(2);
                    if (arguments.flag("count")) {
                        plan.read(ParquetSource.allColumns(arguments.others().get(0)))
                            .sortBy(Key.of(0))
                            .write(new CsvSink(
                                    Target.file(arguments.others().get(1)),
                                    CsvSource.Dialect.COMMA));
                        return plan;
                    }
                    if (arguments.flag("parquet")) {
                        plan.read(new TextSource(arguments.others().get(0)))
                            .write(new ParquetSink(arguments.others().get(1)));
                        return plan;
                    }
                    String hold = arguments.text("hold", "/no/such/file");
                    String started = arguments.text("started", "");
                    plan.read(new TextSource(arguments.others().get(0)))
                        .map("split", WORD, (in, out) -> {
                            while (new File(hold).exists()) {
                                new File(started).mkdir();
                                LockSupport.parkNanos(5_000_000);
                            }
                            while (slow && !Thread.currentThread().isInterrupted()) {
                                LockSupport.parkNanos(1_000_000);
                            }
                            for (String word : in.text(0).split(" ")) {
                                out.record().text(0, word).emit();
                            }
                        })
                        .groupBy("word")
                        .aggregate(Aggregate.count())
                        .write(new CsvSink(
                                Target.file(arguments.others().get(1)), CsvSource.Dialect.COMMA));
                    return plan;
                }
            }
            """;

    @TempDir private static Path shared;

    private static Path jar;
    private static Server server;

    @TempDir private Path folder;

    @BeforeAll
    static void start() {
        jar = ProgramJar.compile(shared, "Words", SOURCE);
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private String[] words(String... first) throws Exception {
        Files.writeString(folder.resolve("in"), "one two two\n");
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(
                List.of(
                        jar.toString(),
                        folder.resolve("in").toString(),
                        folder.resolve("out").toString()));
        return all.toArray(new String[0]);
    }

    private static CommandRun atServer(String... job) {
        return at(server, job);
    }

    private static CommandRun at(Server one, String... job) {
        List<String> all = new ArrayList<>(List.of(job));
        all.addAll(2, List.of("--host", "localhost", "--port", "" + one.port()));
        return CommandRun.of(all.toArray(new String[0]));
    }

    @Test
    void aJobRunsInThisProcess() throws Exception {
        CommandRun run = CommandRun.of(words("job", "run", "--local"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("records in").contains("split").contains("finished");
        assertThat(run.err()).contains("words: done in");
        assertThat(Files.readAllLines(folder.resolve("out")))
                .contains("word,count", "one,1", "two,2");
    }

    @Test
    void aFailureIsReportedInOneLine() throws Exception {
        assertThat(CommandRun.of(words("job", "run", "--local")).code()).isZero();
        CommandRun again = CommandRun.of(words("job", "run", "--local", "--quiet"));
        assertThat(again.code()).isNotZero();
        assertThat(again.err()).contains("out").contains("already exists");
        assertThat(again.err().lines()).hasSize(1);
        CommandRun missing = CommandRun.of(words("job", "run", "--local", "-c", "Nobody"));
        assertThat(missing.code()).isEqualTo(4);
        assertThat(missing.err()).contains("there is no class Nobody");
        assertThat(CommandRun.of("job", "run", "--local", "nowhere.jar").err())
                .contains("there is no jar nowhere.jar");
    }

    @Test
    void aJobRunsInAServerAndCanBeLookedAt() throws Exception {
        CommandRun run = atServer(words("job", "run", "--json"));
        assertThat(run.code()).as(run.err()).isZero();
        JsonObject job = JsonParser.parseString(run.out()).getAsJsonObject();
        assertThat(job.get("state").getAsString()).isEqualTo("FINISHED");
        String id = job.get("id").getAsString();
        assertThat(atServer("job", "list").out()).contains(id).contains("finished");
        assertThat(atServer("job", "show", id).out()).contains("split");
        assertThat(atServer("job", "show", "--plan", id).out()).contains("Source");
        assertThat(atServer("job", "history", "--json").out()).contains(id).contains("signature");
        assertThat(atServer("job", "history", "--bottlenecks").out()).contains(id, "advised");
        CommandRun advice = atServer("job", "show", "--bottlenecks", id);
        assertThat(advice.code()).as(advice.err()).isZero();
        assertThat(advice.out()).contains("input rate", "busiest", "split");
        CommandRun priced =
                atServer(
                        "job",
                        "show",
                        "--bottlenecks",
                        "--json",
                        "--machine",
                        "m1.small:1:0.1",
                        id);
        assertThat(priced.out()).contains("\"machine\":\"m1.small\"", "\"trueRate\":");
        assertThat(atServer("job", "show", "nothing").code()).isEqualTo(4);
    }

    @Test
    void aJobIsTunedAndLeavesNothing() throws Exception {
        CommandRun here = CommandRun.of(words("job", "tune", "--local", "--rounds", "2"));
        assertThat(here.code()).as(here.err()).isZero();
        assertThat(here.err()).contains("run 1: ", "best: run ");
        assertThat(here.out()).contains("input rate", "advised");
        assertThat(folder.resolve("out")).doesNotExist();
        CommandRun there = atServer(words("job", "tune", "--json", "--rounds", "2"));
        assertThat(there.code()).as(there.err()).isZero();
        assertThat(there.out()).contains("\"run\":1", "\"bestRun\":", "\"parallelism\":");
        assertThat(folder.resolve("out")).doesNotExist();
        CommandRun learned = atServer(words("job", "run", "--learned", "--json"));
        assertThat(learned.code()).as(learned.err()).isZero();
        JsonObject job = JsonParser.parseString(learned.out()).getAsJsonObject();
        JsonObject submission = job.getAsJsonObject("submission");
        assertThat(submission.getAsJsonObject("parallelism").keySet()).isNotEmpty();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        assertThat(CommandRun.of(words("job", "run", "--local", "--learned")).err())
                .contains("--learned needs a server");
    }

    @Test
    void aJobRunsInWorkersHereAndInAServer() throws Exception {
        CommandRun here = CommandRun.of(words("job", "run", "--local", "--workers", "2"));
        assertThat(here.code()).as(here.err()).isZero();
        assertThat(here.out()).contains("compressed").contains("fullest channel").contains(" → ");
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        Files.delete(folder.resolve("out"));
        CommandRun there = atServer(words("job", "run", "--json", "--workers", "2"));
        assertThat(there.code()).as(there.err()).isZero();
        JsonObject job = JsonParser.parseString(there.out()).getAsJsonObject();
        assertThat(job.getAsJsonObject("submission").get("workers").getAsInt()).isEqualTo(2);
        assertThat(job.toString()).contains("\"wireBytes\":").contains("\"level\":");
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        CommandRun many = atServer(words("job", "run", "--workers", "65"));
        assertThat(many.code()).isEqualTo(ExitCode.FAILURE.number());
        assertThat(many.err()).contains("at most 64 workers");
    }

    @Test
    void aJobLeasesMachinesByStageAndReportsTheirCost() throws Exception {
        String[] leased = {
            "job",
            "run",
            "--cloud",
            "local",
            "--cloud-folder",
            folder.resolve("cloud").toString(),
            "--machines",
            "2",
            "--machine-type",
            "small:1:320:0.10",
            "--stages",
            "exchanges"
        };
        CommandRun run = CommandRun.of(words(leased));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        assertThat(run.err()).contains("stage 1: 2 machines small");
        assertThat(run.out()).contains("a fixed cluster would have cost").contains("stage 1");
        CommandRun none = CommandRun.of(words("job", "run", "--cloud", "heaven"));
        assertThat(none.err()).contains("there is no cloud 'heaven'");
    }

    @Test
    void aJobOfAServerLeasesMachinesAndReportsTheirCost() throws Exception {
        String[] leased = {
            "job",
            "run",
            "--json",
            "--cloud=local",
            "--machines=2",
            "--machine-type=small:1:320:0.10",
            "--stages=exchanges"
        };
        CommandRun run = atServer(words(leased));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        JsonObject job = JsonParser.parseString(run.out()).getAsJsonObject();
        assertThat(job.getAsJsonObject("cost").get("paidMicros").getAsLong()).isPositive();
        CommandRun shown = atServer("job", "show", job.get("id").getAsString());
        assertThat(shown.out()).contains("a fixed cluster would have cost").contains("stage 1");
        assertThat(shown.err()).contains("2 machines small");
        assertThat(atServer("job", "history").out()).contains("$0.00");
        CommandRun folder = atServer(words("job", "run", "--cloud=local", "--cloud-folder=x"));
        assertThat(folder.err()).contains("--cloud-folder");
        CommandRun both = atServer(words("job", "run", "--cloud=local", "--workers=2"));
        assertThat(both.err()).contains("cannot be combined");
    }

    @Test
    void aJobOnSpotMachinesPaysTheMarketPrice() throws Exception {
        Path prices =
                Files.writeString(folder.resolve("prices.csv"), "2026-01-01T00:00:00Z,0.02\n");
        CommandRun run =
                CommandRun.of(
                        words(
                                "job",
                                "run",
                                "--json",
                                "--cloud=local",
                                "--cloud-folder=" + folder.resolve("cloud"),
                                "--machines=1",
                                "--machine-type=small:1:320:0.10",
                                "--spot=small=" + prices,
                                "--spot-notice=5"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        JsonObject cost =
                JsonParser.parseString(run.out()).getAsJsonObject().getAsJsonObject("cost");
        assertThat(cost.get("paidMicros").getAsLong())
                .as(run.out())
                .isPositive()
                .isLessThan(cost.get("fixedClusterMicros").getAsLong() / 2);
    }

    @Test
    void anInvalidMarketIsReported() throws Exception {
        Path good = Files.writeString(folder.resolve("good"), "2026-01-01T00:00:00Z,0.02\n");
        Path bad = Files.writeString(folder.resolve("bad"), "2026-01-01,0.02\n");
        assertThat(spot("--spot=small=" + bad)).contains("line 1", bad.toString(), "is not a time");
        assertThat(spot("--spot=small=" + folder.resolve("none"))).contains("cannot read", "none");
        assertThat(spot("--spot=huge=" + good)).contains("no such instance type", "small, large");
        assertThat(spot("--spot=" + good)).contains("--spot");
        assertThat(spot("--spot=small=" + good, "--spot-notice=-1")).contains("--spot-notice");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    private String spot(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("job", "run", "--cloud=local"));
        all.add("--cloud-folder=" + folder.resolve("cloud"));
        all.addAll(List.of(options));
        CommandRun run = CommandRun.of(words(all.toArray(new String[0])));
        assertThat(run.code()).as(run.err()).isNotZero();
        return run.err();
    }

    @Test
    void aJobStoppedWithoutMachinesCanBeResumedOrDiscarded() throws Exception {
        Path cloud = folder.resolve("cloud");
        String[] command =
                words(
                        "job",
                        "run",
                        "--cloud=local",
                        "--cloud-folder=" + cloud,
                        "--machines=2",
                        "--machine-type=small:1:320:0.10",
                        "--machine-wait",
                        "1");
        String[] list = {"job", "resume", "--cloud-folder=" + cloud};
        try (TakenMachines _ = TakenMachines.in(cloud)) {
            CommandRun stopped = CommandRun.of(command);
            assertThat(stopped.code()).isEqualTo(ExitCode.FAILURE.number());
            assertThat(stopped.err()).contains("got no machines").contains("petrichor job resume");
        }
        CommandRun listed = CommandRun.of(list);
        assertThat(listed.out()).contains("0 of ");
        String id = listed.out().lines().skip(1).findFirst().orElseThrow().split(" ", -1)[0];
        // Machines need a second to start.
        Path line = cloud.resolve("jobs").resolve(id).resolve("line.json");
        String kept = Files.readString(line).replace("-wait\",\"1\"", "-wait\",\"60\"");
        Files.writeString(line, kept);
        String[] resume = {"job", "resume", id, "--cloud-folder=" + cloud};
        CommandRun done = CommandRun.of(resume);
        assertThat(done.code()).as(done.err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
        assertThat(CommandRun.of(list).out()).doesNotContain(id);
        assertThat(CommandRun.of(resume).err()).contains("there is no resumable job " + id);
        Files.delete(folder.resolve("out"));
        // State after the kill of a job with iterations: only its command line.
        Files.createDirectories(line.getParent());
        Files.writeString(line, kept);
        assertThat(CommandRun.of(resume).err()).contains("the job starts over").contains("done in");
        Files.delete(folder.resolve("out"));
        try (TakenMachines _ = TakenMachines.in(cloud)) {
            assertThat(CommandRun.of(command).code()).isEqualTo(ExitCode.FAILURE.number());
        }
        String other =
                CommandRun.of(list)
                        .out()
                        .lines()
                        .skip(1)
                        .findFirst()
                        .orElseThrow()
                        .split(" ", -1)[0];
        CommandRun givenUp =
                CommandRun.of("job", "resume", other, "--give-up", "--cloud-folder=" + cloud);
        assertThat(givenUp.code()).as(givenUp.err()).isZero();
        assertThat(givenUp.err()).as("the former name").contains("--give-up is now --discard");
        assertThat(cloud.resolve("jobs")).isEmptyDirectory();
    }

    @Test
    void aServersJobCanBeResumedAfterARestart() throws Exception {
        Path hold = Files.createFile(folder.resolve("hold"));
        List<String> run =
                new ArrayList<>(
                        List.of(
                                words(
                                        "job",
                                        "run",
                                        "--detach",
                                        "--cloud=local",
                                        "--machine-type=small:1:320:0.10")));
        run.addAll(
                List.of(
                        "--hold",
                        hold.toString(),
                        "--started",
                        folder.resolve("started").toString()));
        String id;
        try (WatchService watch = folder.getFileSystem().newWatchService();
                Server first = keepingServer()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            id = at(first, run.toArray(new String[0])).out().strip();
            while (!Files.exists(folder.resolve("started"))) {
                WatchKey some = watch.poll(30, TimeUnit.SECONDS);
                assertThat(some).as("it does not begin").isNotNull();
                some.reset();
            }
        }
        Files.delete(hold);
        try (Server again = keepingServer()) {
            assertThat(at(again, "job", "resume").out()).contains(id).contains("0 of ");
            CommandRun listed = at(again, "job", "resume", "--json");
            JsonObject kept = JsonParser.parseString(listed.out()).getAsJsonObject();
            assertThat(kept.get("id").getAsString()).isEqualTo(id);
            assertThat(at(again, "job", "history").out()).contains(id).contains("failed");
            CommandRun done = at(again, "job", "resume", id, "--json");
            assertThat(done.code()).as(done.err()).isZero();
            JsonObject job = JsonParser.parseString(done.out()).getAsJsonObject();
            assertThat(job.get("resumes").getAsString()).isEqualTo(id);
            assertThat(job.has("cost")).isTrue();
            assertThat(Files.readAllLines(folder.resolve("out"))).contains("one,1", "two,2");
            CommandRun gone = at(again, "job", "resume", id, "--discard");
            assertThat(gone.code()).isEqualTo(ExitCode.of(ErrorCode.NOT_FOUND).number());
        }
    }

    private Server keepingServer() {
        return Server.start(
                ServerConfig.defaults()
                        .withMemory()
                        .withPort(0)
                        .withJobs(
                                new ServerConfig.Jobs(
                                        true,
                                        Optional.of(folder.resolve("jobs")),
                                        1,
                                        10,
                                        96 << 20,
                                        1 << 30,
                                        1 << 30,
                                        Duration.ofDays(1))));
    }

    @Test
    void aJobOfAServerReadsAndWritesParquet() throws Exception {
        Path in = Files.writeString(folder.resolve("lines"), "one\ntwo\n");
        Path table = folder.resolve("table");
        CommandRun written =
                atServer(
                        "job", "run", jar.toString(), in.toString(), table.toString(), "--parquet");
        assertThat(written.code()).as(written.err()).isZero();
        CommandRun read =
                atServer(
                        "job",
                        "run",
                        jar.toString(),
                        table.toString(),
                        folder.resolve("out").toString(),
                        "--count");
        assertThat(read.code()).as(read.err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).contains("line", "one", "two");
    }

    @Test
    void aJobMayHaveManyArguments() throws Exception {
        List<String> much = new ArrayList<>(List.of(words("job", "run")));
        for (int i = 0; i < 20; i++) {
            much.add("--note" + i + "=" + "ü".repeat(8_000));
        }
        CommandRun run = atServer(much.toArray(new String[0]));
        assertThat(run.code()).as(run.err()).isZero();
        much.add("--last=" + "x".repeat(8_192));
        CommandRun tooMuch = atServer(much.toArray(new String[0]));
        assertThat(tooMuch.code()).isEqualTo(ExitCode.FAILURE.number());
        assertThat(tooMuch.err())
                .contains("at most 1000 arguments of 8192 characters")
                .contains("put more into a file");
    }

    @Test
    void aDetachedJobCanBeCancelled() throws Exception {
        CommandRun run = atServer(words("job", "run", "--detach"));
        assertThat(run.code()).as(run.err()).isZero();
        String first = run.out().strip();
        assertThat(atServer("job", "show", "--follow", first).err()).contains("finished");
        Files.delete(folder.resolve("out"));
        List<String> slow = new ArrayList<>(List.of(words("job", "run", "--detach")));
        slow.add("--slow");
        String id = atServer(slow.toArray(new String[0])).out().strip();
        CommandRun cancelled = atServer("job", "cancel", id);
        assertThat(cancelled.code()).as(cancelled.err()).isZero();
        assertThat(atServer("job", "show", "--follow", id).err()).contains("canceled");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void aJobIsExplainedAndDrawn() throws Exception {
        Path drawing = folder.resolve("plan.svg");
        CommandRun text = CommandRun.of(words("job", "explain", "--drawing", drawing.toString()));
        assertThat(text.code()).as(text.err()).isZero();
        assertThat(text.out()).contains("Source").contains("emits");
        assertThat(Files.readString(drawing)).startsWith("<svg");
        CommandRun json = CommandRun.of(words("job", "explain", "--json"));
        assertThat(JsonParser.parseString(json.out()).getAsJsonObject().has("contracts")).isTrue();
        assertThat(folder.resolve("out")).doesNotExist();
    }
}
