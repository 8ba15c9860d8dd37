package petrichor.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.SnapshotJson;
import petrichor.jobs.tuning.Advice;
import petrichor.jobs.tuning.Resources;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Show a job: its progress, its tasks and its output.")
final class JobShowCommand implements Callable<Integer> {
    @Mixin private JobsOfServer jobs = new JobsOfServer();

    @Parameters(paramLabel = "ID", description = "Job id, as shown by `job list`.")
    private String id = "";

    @Option(
            names = "--follow",
            description = "Follow the job until it ends; Ctrl-C stops only this command.")
    private boolean follow;

    @Option(names = "--plan", description = "Show the execution plan, as `job explain` does.")
    private boolean plan;

    @Option(
            names = "--bottlenecks",
            description = "Show its bottleneck and the recommended number of subtasks per task.")
    private boolean bottlenecks;

    @Option(
            names = "--machine",
            paramLabel = "TYPE:CORES:DOLLARS",
            description =
                    "With --bottlenecks: an available instance type and its price per hour;"
                            + " repeatable.")
    private List<String> machines = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        Terminal terminal = Terminal.open(false);
        JobStatusLine line = new JobStatusLine();
        JsonObject job =
                jobs.ask(
                        pages -> {
                            if (follow) {
                                pages.follow(id, image -> terminal.status(line.of(image)));
                            }
                            return pages.read("/" + id);
                        });
        if (bottlenecks) {
            return bottlenecks(SnapshotJson.parse(job), terminal);
        }
        if (jobs.json()) {
            System.out.println(job);
            return ExitCode.OK.number();
        }
        JobSnapshot image = SnapshotJson.parse(job);
        terminal.say(
                image.name() + " (" + id + ") is " + image.state().name().toLowerCase(Locale.ROOT));
        if (image.failure() != null) {
            terminal.say(image.failure());
        }
        if (plan) {
            for (JsonElement part : job.getAsJsonArray("plan")) {
                System.out.println(part.getAsJsonObject().get("text").getAsString());
            }
        } else {
            TextTable table = new TextTable(System.out);
            JobStatusLine.rows(image).forEach(table::row);
            table.end();
            JobStatusLine.repeats(image).forEach(terminal::say);
            JobStatusLine.scalings(image).forEach(terminal::say);
            JobStatusLine.plans(image).forEach(terminal::say);
            JobStatusLine.counters(image).forEach(terminal::say);
            if (image.cost() != null) {
                System.out.print(LeaseSettlement.text(image.cost()));
            }
            job.getAsJsonArray("said").forEach(said -> terminal.say("| " + said.getAsString()));
        }
        return ExitCode.OK.number();
    }

    private int bottlenecks(JobSnapshot image, Terminal terminal) {
        Advice advice =
                Advice.of(image.profile(), Resources.ofThisMachine())
                        .on(AdviceTable.offers(machines));
        if (jobs.json()) {
            System.out.println(AdviceTable.json(advice));
        } else {
            AdviceTable.print(advice, terminal);
        }
        return ExitCode.OK.number();
    }
}
