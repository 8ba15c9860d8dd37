package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.LocalJob;
import petrichor.jobs.service.Submission;
import petrichor.jobs.tuning.Finding;
import petrichor.jobs.tuning.MachineOffer;
import petrichor.jobs.tuning.Resources;
import petrichor.jobs.tuning.Tuning;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "tune",
        mixinStandardHelpOptions = true,
        description = {
            "Run a job repeatedly, adjusting the subtasks per task after each run, until nothing"
                    + " improves. Its results are discarded.",
            "Put options before JAR. Runs here, or on a server named by --host, --port or --data,"
                    + " where `job run --learned` uses the result."
        })
final class JobTuneCommand implements Callable<Integer> {
    private static final int ROUNDS_MAX = 100;

    @Mixin private JobChoice choice = new JobChoice();
    @Mixin private EngineChoice engine = new EngineChoice();
    @Mixin private ServerAddress address = new ServerAddress();

    @Option(names = "--local", description = "Run in this process, even if a server is named.")
    private boolean local;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Maximum number of runs, including the first. Default: 5")
    private int rounds = 5;

    @Option(
            names = "--subtasks",
            paramLabel = "N",
            description = "Maximum number of subtasks of all tasks together. Default: 256")
    private int subtasks = Resources.SUBTASKS;

    @Option(
            names = "--machine",
            paramLabel = "TYPE:CORES:DOLLARS",
            description = "Instance type, as for `job show`.")
    private List<String> machines = new ArrayList<>();

    @Option(
            names = "--json",
            description = "Print one JSON object per run, and one with the result.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (rounds < 1 || rounds > ROUNDS_MAX) {
            throw PetrichorException.invalid("--rounds must be from 1 to " + ROUNDS_MAX);
        }
        List<MachineOffer> offers = AdviceTable.offers(machines);
        Terminal terminal = Terminal.open(false);
        Tuning tuning = Tuning.of(Resources.ofThisMachine().withSubtasksMax(subtasks), rounds);
        for (Optional<Map<String, Integer>> next = tuning.next();
                next.isPresent();
                next = tuning.next()) {
            JobSnapshot end = run(engine.submission(choice).onTrial(next.get()));
            if (end.state() != JobState.FINISHED || end.elapsed() == null) {
                terminal.complain(end.name() + " did not finish: " + end.failure());
                return ExitCode.ofJob(end.code()).number();
            }
            tuning = tuning.ran(next.get(), end.elapsed().toMillis() / 1e3, end.profile());
            report(tuning.rounds().size(), tuning.rounds().getLast(), offers, terminal);
        }
        end(tuning, terminal);
        return ExitCode.OK.number();
    }

    private JobSnapshot run(Submission submission) throws InterruptedException {
        if (local || !address.isGiven()) {
            try (LocalJob job = LocalJob.start(choice.jar(), submission, _ -> {})) {
                return job.await();
            }
        }
        try (ServerAddress.Connection connection = address.connect(false);
                JobPages pages = JobPages.of(connection, address)) {
            String id = pages.submit(choice.jar(), submission).get("id").getAsString();
            return pages.follow(id, _ -> {});
        }
    }

    private void report(
            int number, Tuning.Round round, List<MachineOffer> offers, Terminal terminal) {
        if (json) {
            JsonObject object = AdviceTable.json(round.advice().on(offers));
            object.addProperty("run", number);
            object.addProperty("took", round.seconds());
            System.out.println(object);
            return;
        }
        terminal.say(
                String.format(
                        Locale.ROOT,
                        "run %d: %.2f s with %s",
                        number,
                        round.seconds(),
                        plan(round)));
        AdviceTable.print(round.advice().on(offers), terminal);
        terminal.say("");
    }

    private static String plan(Tuning.Round round) {
        return round.advice().tasks().stream()
                .map(task -> task.task().name() + " " + task.task().parallelism())
                .collect(Collectors.joining(", "));
    }

    private void end(Tuning tuning, Terminal terminal) {
        Tuning.Round best = tuning.best();
        if (json) {
            JsonObject object = new JsonObject();
            object.addProperty("runs", tuning.rounds().size());
            object.addProperty("first", tuning.rounds().getFirst().seconds());
            object.addProperty("best", best.seconds());
            object.addProperty("bestRun", tuning.rounds().indexOf(best) + 1);
            JsonObject parallelism = new JsonObject();
            tuning.parallelism().forEach(parallelism::addProperty);
            object.add("parallelism", parallelism);
            System.out.println(object);
            return;
        }
        List<Finding> left = best.advice().findings();
        terminal.say(
                String.format(
                        Locale.ROOT,
                        "best: run %d of %d, %.2f s instead of %.2f s, with %s%s",
                        tuning.rounds().indexOf(best) + 1,
                        tuning.rounds().size(),
                        best.seconds(),
                        tuning.rounds().getFirst().seconds(),
                        plan(best),
                        left.isEmpty() ? "" : "; " + left.getFirst().text()));
    }
}
