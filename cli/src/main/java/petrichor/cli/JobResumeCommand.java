package petrichor.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.service.LocalJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = {
            "Goes on with a job on leased machines, after the last stage that ended: one that ran"
                    + " here, or in a server if --host, --port or --data names one.",
            "A job stops when the cloud has no machines for too long, or when its process or its"
                    + " server is killed. Without an ID: lists those that can be gone on with."
        })
final class JobResumeCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", description = "Of the job.")
    private @Nullable String id;

    @Option(names = "--give-up", description = "Removes its files; it can only be run anew then.")
    private boolean givesUp;

    @Option(
            names = "--cloud-folder",
            paramLabel = "DIR",
            description =
                    "Where a job that ran here leased its machines. Default: .petrichor/cloud at"
                            + " home")
    private Path folder = CloudChoice.FOLDER;

    @Mixin private ServerAddress address = new ServerAddress();

    @Option(
            names = "--detach",
            description = "In a server: prints the id by which it goes on and does not wait.")
    private boolean detach;

    @Option(
            names = "--json",
            description = "The job at its end, or each that can be gone on with, as one object.")
    private boolean json;

    @Option(names = "--quiet", description = "Only results and failures.")
    private boolean quiet;

    @Override
    public Integer call() throws InterruptedException {
        if (givesUp && id == null) {
            throw PetrichorException.invalid("--give-up needs the ID of a job");
        }
        if (address.isGiven()) {
            return new ResumeAtServer(address, json, quiet).call(id, givesUp, detach);
        }
        if (detach) {
            throw PetrichorException.invalid(
                    "--detach needs a server; name one with --host or --port");
        }
        String chosen = id;
        if (chosen == null) {
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
                                                        + " lists them, with --host or --port those"
                                                        + " of a server"));
        return givesUp ? giveUp(job) : goOn(job);
    }

    private int list() {
        StoppedJobs.print(
                KeptJob.all(folder).stream().map(job -> job.json(folder)).toList(),
                json,
                "no job waits in " + folder);
        return ExitCode.OK.number();
    }

    private int goOn(KeptJob job) {
        List<String> line = new ArrayList<>(job.line());
        JobRunCommand run = run(job);
        // Its options stand before the jar; behind it would be the job's own.
        int at = line.indexOf("run") + 1;
        line.addAll(at, List.of(CloudChoice.RESUME, job.id()));
        if (json && !run.json()) {
            line.add(at, "--json");
        }
        if (quiet && !run.quiet()) {
            line.add(at, "--quiet");
        }
        return Petrichor.commandLine().execute(line.toArray(new String[0]));
    }

    private int giveUp(KeptJob job) {
        LeasedMachines.giveUp(folder, job.id(), () -> cleanSinks(job));
        return ExitCode.OK.number();
    }

    private static JobRunCommand run(KeptJob job) {
        ParseResult parsed = Petrichor.commandLine().parseArgs(job.line().toArray(new String[0]));
        Object command = parsed.subcommand().subcommand().commandSpec().userObject();
        if (command instanceof JobRunCommand run) {
            return run;
        }
        throw PetrichorException.invalid("what " + job.id() + " keeps is no `job run`");
    }

    /** What is not shown yet lies beside the results; the job's program knows where. */
    private static void cleanSinks(KeptJob job) {
        JobChoice choice = run(job).choice();
        try {
            choice.checkSame(job);
            LocalJob.clean(choice.jar(), choice.submission());
        } catch (PetrichorException e) {
            StoppedJobs.warnOfParts(String.valueOf(e.getMessage()));
        }
    }
}
