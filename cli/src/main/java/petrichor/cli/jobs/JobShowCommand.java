package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.service.JobSnapshot;
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
                                pages.follow(id, snapshot -> terminal.status(line.of(snapshot)));
                            }
                            return pages.read("/" + id);
                        });
        if (bottlenecks) {
            return bottlenecks(JobSnapshot.parse(job), terminal);
        }
        if (jobs.json()) {
            System.out.println(job);
            return ExitCode.OK.number();
        }
        JobSnapshot snapshot = JobSnapshot.parse(job);
        terminal.say(
                snapshot.name()
                        + " ("
                        + id
                        + ") is "
                        + snapshot.state().name().toLowerCase(Locale.ROOT));
        if (snapshot.failure() != null) {
            terminal.say(snapshot.failure());
        }
        if (plan) {
            snapshot.job().getPlanList().forEach(part -> System.out.println(part.getText()));
        } else {
            TextTable table = new TextTable(System.out);
            JobStatusLine.rows(snapshot).forEach(table::row);
            table.end();
            JobStatusLine.repeats(snapshot).forEach(terminal::say);
            JobStatusLine.scalings(snapshot).forEach(terminal::say);
            JobStatusLine.plans(snapshot).forEach(terminal::say);
            JobStatusLine.counters(snapshot).forEach(terminal::say);
            if (snapshot.cost() != null) {
                System.out.print(LeaseSettlement.text(snapshot.cost()));
            }
            snapshot.job().getOutputList().forEach(text -> terminal.say("| " + text));
        }
        return ExitCode.OK.number();
    }

    private int bottlenecks(JobSnapshot snapshot, Terminal terminal) {
        Advice advice =
                Advice.of(snapshot.profile(), Resources.ofThisMachine())
                        .on(AdviceTable.offers(machines));
        if (jobs.json()) {
            System.out.println(AdviceTable.json(advice));
        } else {
            AdviceTable.print(advice, terminal);
        }
        return ExitCode.OK.number();
    }
}
