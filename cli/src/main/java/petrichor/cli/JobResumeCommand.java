package petrichor.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.service.LocalJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = {
            "Goes on with a job on leased machines, after the last stage that ended.",
            "A job stops when the cloud has no machines for too long, or when its process is"
                    + " killed. Without an ID: lists those that can be gone on with."
        })
final class JobResumeCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", description = "Of the job.")
    private @Nullable String id;

    @Option(names = "--give-up", description = "Removes its files; it can only be run anew then.")
    private boolean givesUp;

    @Option(
            names = "--cloud-folder",
            paramLabel = "DIR",
            description = "Where the job leased its machines. Default: .petrichor/cloud at home")
    private Path folder = CloudChoice.FOLDER;

    @Override
    public Integer call() {
        String chosen = id;
        if (chosen == null) {
            if (givesUp) {
                throw PetrichorException.invalid("--give-up needs the ID of a job");
            }
            return list();
        }
        KeptJob job =
                KeptJob.read(folder, chosen)
                        .orElseThrow(
                                () ->
                                        new PetrichorException(
                                                ErrorCode.NOT_FOUND,
                                                "there is no job "
                                                        + chosen
                                                        + " to go on with; `petrichor job resume`"
                                                        + " lists them"));
        return givesUp ? giveUp(job) : goOn(job);
    }

    private int list() {
        List<KeptJob> all = KeptJob.all(folder);
        Table table = new Table(System.out);
        for (KeptJob job : all) {
            ResumePoint point = KeptJob.point(folder, job.id());
            Map<String, String> row = new LinkedHashMap<>();
            row.put("id", job.id());
            row.put("stages", point.stagesDone() + " of " + point.stages());
            row.put("bytes", Long.toString(job.bytes(folder)));
            row.put("since", job.since().toString());
            table.row(row);
        }
        table.end();
        if (all.isEmpty()) {
            Terminal.open(false).say("no job waits in " + folder);
        }
        return ExitCode.OK.number();
    }

    private static int goOn(KeptJob job) {
        List<String> line = new ArrayList<>(job.line());
        // Its options stand before the jar; behind it would be the job's own.
        line.addAll(line.indexOf("run") + 1, List.of(CloudChoice.RESUME, job.id()));
        return Petrichor.commandLine().execute(line.toArray(new String[0]));
    }

    private int giveUp(KeptJob job) {
        LeasedMachines.giveUp(folder, job.id(), () -> cleanSinks(job));
        return ExitCode.OK.number();
    }

    /** What is not shown yet lies beside the results; the job's program knows where. */
    private static void cleanSinks(KeptJob job) {
        ParseResult parsed = Petrichor.commandLine().parseArgs(job.line().toArray(new String[0]));
        ParseResult run = parsed.subcommand().subcommand();
        if (run.commandSpec().userObject() instanceof JobRunCommand command) {
            try {
                command.choice().checkSame(job);
                LocalJob.clean(command.choice().jar(), command.choice().submission());
            } catch (PetrichorException e) {
                Terminal.open(false)
                        .complain(
                                "what it has not shown yet stays where its results would be: "
                                        + e.getMessage());
            }
        }
    }
}
