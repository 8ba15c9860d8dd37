package petrichor.cli.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.service.LocalJob;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = {
            "Resume a job on leased machines after its last completed stage: one that ran here, or"
                    + " on a server named by --host, --port or --data.",
            "A job stops when the cloud lacks machines for too long, or when its process or server"
                    + " is killed. Without ID: lists the jobs that can be resumed."
        })
public final class JobResumeCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", description = "Id of the job.")
    private @Nullable String id;

    @Option(
            names = "--discard",
            description = "Delete the job's files; it can no longer be resumed.")
    private boolean discard;

    @Option(
            names = "--cloud-folder",
            paramLabel = "DIR",
            description =
                    "Folder that records the leases of a job that ran here. Default:"
                            + " .petrichor/cloud in the home folder")
    private Path folder = CloudChoice.FOLDER;

    @Mixin private ServerAddress address = new ServerAddress();

    @Option(
            names = "--detach",
            description = "On a server: print the id of the resumed job and do not wait.")
    private boolean detach;

    @Option(
            names = "--json",
            description = "Print the completed job, or each resumable job, as one JSON object.")
    private boolean json;

    @Option(names = "--quiet", description = "Print only results and failures.")
    private boolean quiet;

    private @Nullable Supplier<CommandLine> program;

    /** Sets the complete command line, which parses and executes the saved line of a job. */
    public void program(Supplier<CommandLine> commandLine) {
        program = commandLine;
    }

    @Option(names = "--give-up", hidden = true, description = "Old name of --discard.")
    void giveUp(boolean given) {
        FormerNames.hint("--give-up", "--discard");
        discard = given;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (discard && id == null) {
            throw PetrichorException.invalid("--discard needs the ID of a job");
        }
        if (address.isGiven()) {
            return new ResumeAtServer(address, json, quiet).call(id, discard, detach);
        }
        if (detach) {
            throw PetrichorException.invalid(
                    "--detach needs a server; name it with --host or --port");
        }
        String chosen = id;
        if (chosen == null) {
            return list();
        }
        ResumableJob job =
                ResumableJob.read(folder, chosen)
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.NOT_FOUND,
                                                "there is no resumable job {chosen}; `petrichor job"
                                                    + " resume` lists them, with --host or --port"
                                                    + " those of a server",
                                                "chosen",
                                                chosen));
        return discard ? discard(job) : resume(job);
    }

    private int list() {
        StoppedJobs.print(
                ResumableJob.all(folder).stream().map(job -> job.json(folder)).toList(),
                json,
                "there are no resumable jobs in " + folder);
        return ExitCode.OK.number();
    }

    private int resume(ResumableJob job) {
        List<String> line = new ArrayList<>(job.line());
        JobRunCommand run = run(job);
        // Options of the command precede the jar; arguments after it belong to the job.
        int at = line.indexOf("run") + 1;
        line.addAll(at, List.of(CloudChoice.RESUME, job.id()));
        if (json && !run.json()) {
            line.add(at, "--json");
        }
        if (quiet && !run.quiet()) {
            line.add(at, "--quiet");
        }
        return program().execute(line.toArray(new String[0]));
    }

    private int discard(ResumableJob job) {
        LeasedMachines.giveUp(folder, job.id(), () -> cleanSinks(job));
        return ExitCode.OK.number();
    }

    private CommandLine program() {
        return Objects.requireNonNull(program, "program").get();
    }

    private JobRunCommand run(ResumableJob job) {
        ParseResult parsed = program().parseArgs(job.line().toArray(new String[0]));
        Object command = parsed.subcommand().subcommand().commandSpec().userObject();
        if (command instanceof JobRunCommand run) {
            return run;
        }
        throw PetrichorException.invalid(
                "the saved command line of {job} is not a `job run`", "job", job.id());
    }

    /**
     * Deletes unpublished results, which are next to the published ones. Only the job's program
     * knows the paths.
     */
    private void cleanSinks(ResumableJob job) {
        JobChoice choice = run(job).choice();
        try {
            choice.checkSame(job);
            LocalJob.clean(choice.jar(), choice.submission());
        } catch (PetrichorException e) {
            StoppedJobs.warnOfParts(String.valueOf(e.getMessage()));
        }
    }
}
