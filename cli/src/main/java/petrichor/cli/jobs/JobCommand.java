package petrichor.cli.jobs;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.cloud.Money;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "job",
        mixinStandardHelpOptions = true,
        description = "Run jobs, in this process or on a server, and follow them.",
        subcommands = {
            JobNewCommand.class,
            JobRunCommand.class,
            JobResumeCommand.class,
            JobTuneCommand.class,
            JobCommand.ListJobs.class,
            JobShowCommand.class,
            JobExplainCommand.class,
            JobCommand.Cancel.class,
            JobCommand.History.class
        })
public final class JobCommand {
    private JobCommand() {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the running, queued and recently completed jobs of a server.")
    static final class ListJobs implements Callable<Integer> {
        @Mixin private JobsOfServer jobs = new JobsOfServer();

        @Override
        public Integer call() throws InterruptedException {
            print(
                    jobs.ask(pages -> pages.read("").getAsJsonArray("jobs")),
                    jobs.json(),
                    "no job was submitted since this server started; `petrichor job history` lists"
                            + " earlier ones");
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "history",
            mixinStandardHelpOptions = true,
            description = "List the completed jobs of a server, the latest first.")
    static final class History implements Callable<Integer> {
        @Mixin private JobsOfServer jobs = new JobsOfServer();

        @Option(
                names = "--limit",
                paramLabel = "N",
                description = "Maximum number of jobs. Default: 20")
        private int limit = 20;

        @Option(
                names = "--bottlenecks",
                description = "Show each task's bottleneck and the learned parallelism.")
        private boolean bottlenecks;

        @Override
        public Integer call() throws InterruptedException {
            JsonArray all =
                    jobs.ask(pages -> pages.read("/history?limit=" + limit).getAsJsonArray("jobs"));
            if (bottlenecks && !jobs.json()) {
                TextTable table = new TextTable(System.out);
                all.forEach(job -> lessons(job.getAsJsonObject(), table));
                table.end();
                return ExitCode.OK.number();
            }
            print(all, jobs.json(), "no job has completed on this server yet");
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "Cancel a job and discard its results.")
    static final class Cancel implements Callable<Integer> {
        @Mixin private JobsOfServer jobs = new JobsOfServer();

        @Parameters(paramLabel = "ID", description = "Job id, as shown by `job list`.")
        private String id = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject job = jobs.ask(pages -> pages.cancel(id));
            if (jobs.json()) {
                System.out.println(job);
            } else {
                Terminal.open(false)
                        .say(
                                "job "
                                        + id
                                        + " is "
                                        + job.get("state").getAsString().toLowerCase(Locale.ROOT));
            }
            return ExitCode.OK.number();
        }
    }

    private static void lessons(JsonObject job, TextTable table) {
        for (JsonElement each : job.getAsJsonArray("tasks")) {
            JsonObject task = each.getAsJsonObject();
            if (task.has("lesson")) {
                JsonObject lesson = task.getAsJsonObject("lesson");
                Map<String, String> row = new LinkedHashMap<>();
                row.put("id", job.get("id").getAsString());
                row.put("task", task.get("name").getAsString());
                row.put("subtasks", task.get("parallelism").getAsString());
                row.put("bottleneck", lesson.get("bottleneck").getAsString());
                row.put("advised", lesson.get("parallelism").getAsString());
                table.row(row);
            }
        }
    }

    private static void print(JsonArray jobs, boolean json, String none) {
        if (json) {
            jobs.forEach(System.out::println);
        } else {
            TextTable table = new TextTable(System.out);
            jobs.forEach(job -> table.row(row(job)));
            table.end();
        }
        if (jobs.isEmpty()) {
            Terminal.open(false).say(none);
        }
    }

    private static Map<String, String> row(JsonElement element) {
        JsonObject job = element.getAsJsonObject();
        Map<String, String> row = new LinkedHashMap<>();
        row.put("id", job.get("id").getAsString());
        row.put("name", job.get("name").getAsString());
        row.put("state", job.get("state").getAsString().toLowerCase(Locale.ROOT));
        row.put(
                "started",
                job.has("started")
                        ? Instant.parse(job.get("started").getAsString())
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString()
                        : "");
        row.put(
                "took",
                job.has("elapsedMillis")
                        ? String.format(
                                Locale.ROOT, "%.2f s", job.get("elapsedMillis").getAsLong() / 1e3)
                        : "");
        row.put("cost", job.has("cost") ? paid(job.getAsJsonObject("cost")) : "");
        row.put("resumes", job.has("resumes") ? job.get("resumes").getAsString() : "");
        row.put("failure", job.has("failure") ? job.get("failure").getAsString() : "");
        return row;
    }

    private static String paid(JsonObject cost) {
        return new Money(cost.get("paidMicros").getAsLong()).toString();
    }
}
