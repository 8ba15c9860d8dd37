package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.LocalJob;
import petrichor.jobs.service.Submission;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Run a job: the plan of a class in JAR. Put options before JAR.",
            "It runs in this process, or on a server named by --host, --port or --data. Ctrl-C"
                    + " cancels it."
        })
final class JobRunCommand implements Callable<Integer> {
    @Mixin private JobChoice choice = new JobChoice();
    @Mixin private EngineChoice engine = new EngineChoice();
    @Mixin private ServerAddress address = new ServerAddress();
    @Spec private @Nullable CommandSpec spec;
    @Mixin private CloudChoice cloud = new CloudChoice();

    @Option(names = "--local", description = "Run in this process, even if a server is named.")
    private boolean local;

    @Option(
            names = "--detach",
            description = "Submit the job to the server, print its id and do not wait.")
    private boolean detach;

    @Option(
            names = "--learned",
            description = "Use the parallelism learned from earlier runs on this server.")
    private boolean learned;

    @Option(
            names = "--elastic",
            description =
                    "Scale stateless bottleneck tasks up and down while the job runs. Only in one"
                            + " process.")
    private boolean elastic;

    @Option(names = "--json", description = "Print the completed job as one JSON object.")
    private boolean json;

    @Option(names = "--quiet", description = "Print only results and failures.")
    private boolean quiet;

    @Override
    public Integer call() throws InterruptedException {
        FollowedJob followed = new FollowedJob(json, quiet);
        // A server that only the environment names is used by the job for its data, not for running
        // the job.
        if (cloud.isChosen() && (local || !address.isGiven())) {
            return leased(followed);
        }
        if (local || !address.isGiven()) {
            if (detach) {
                throw PetrichorException.invalid(
                        "--detach needs a server; name it with --host or --port");
            }
            if (learned) {
                throw PetrichorException.invalid(
                        "--learned needs a server, which records what earlier runs learned; name it"
                                + " with --host or --port");
            }
            return here(followed);
        }
        try (ServerAddress.Connection connection = address.connect(false);
                JobPages pages = JobPages.of(connection, address)) {
            Submission submission = submission();
            JsonObject job =
                    pages.submit(choice.jar(), learned ? submission.withLearned() : submission);
            String id = job.get("id").getAsString();
            followed.say(
                    "job "
                            + id
                            + " runs on the server at "
                            + connection.client().address()
                            + (job.has("folder")
                                    ? "; its relative paths are resolved against "
                                            + job.get("folder").getAsString()
                                    : ""));
            if (detach) {
                System.out.println(id);
                return ExitCode.OK.number();
            }
            return followed.follow(pages, id);
        }
    }

    private int here(FollowedJob followed) {
        followed.say("the job runs in this process");
        JobSnapshot end;
        try (LocalJob job = LocalJob.start(choice.jar(), submission(), followed::show)) {
            followed.guard(job);
            end = job.await();
            followed.hasEnded();
        }
        return followed.over(followed.tell(end, true));
    }

    /** Runs the job on machines that are leased while it runs. */
    private int leased(FollowedJob followed) {
        if (detach || learned || elastic || engine.isSet()) {
            throw PetrichorException.invalid(
                    "--cloud cannot be combined with --elastic, --workers or --backend, and with"
                            + " --detach or --learned only if --host or --port names a server");
        }
        String resumes = cloud.resumes();
        String id = resumes == null ? CloudChoice.job(choice.jar()) : resumes;
        ResumePoint point = ResumableJob.point(cloud.folder(), id);
        if (resumes != null && !point.isThere()) {
            followed.say(
                    "no completed stage is kept, because none had started or the plan has"
                            + " iterations: the job starts over");
        }
        followed.say(
                "the job runs on leased machines; its relative paths are resolved against this"
                        + " folder");
        LeasedMachines machines = cloud.open(id, choice.jar(), followed::say);
        JobSnapshot end;
        try (machines;
                KeptLine _ = keep(id, resumes != null);
                LocalJob job =
                        LocalJob.start(
                                choice.jar(),
                                engine.submission(choice),
                                machines,
                                followed::show)) {
            followed.guard(job);
            end = job.await();
            followed.hasEnded();
        }
        if (point.isThere()) {
            followed.complain(
                    point.stagesDone()
                            + " of "
                            + point.stages()
                            + " stages are complete and their files are kept; resume with:"
                            + " petrichor job resume "
                            + id
                            + cloud.folderOption());
        }
        JobCost cost = LeaseSettlement.cost(machines.cost());
        if (json) {
            System.out.println(end.with(cost).json(false));
            return followed.over(followed.tell(end, false));
        }
        int code = followed.tell(end, true);
        if (!quiet) {
            FollowedJob.resultsTo(end).print(LeaseSettlement.text(cost));
        }
        return followed.over(code);
    }

    private Submission submission() {
        return engine.submission(choice, elastic, cloud.isChosen() ? cloud.termsElsewhere() : null);
    }

    /** Saves the command line while the job runs, and for longer if the job stops. */
    private KeptLine keep(String id, boolean resumes) {
        ResumePoint point = ResumableJob.point(cloud.folder(), id);
        if (resumes) {
            ResumableJob.read(cloud.folder(), id).ifPresent(choice::checkSame);
        } else {
            ResumableJob.of(
                            id,
                            Objects.requireNonNull(spec)
                                    .commandLine()
                                    .getParseResult()
                                    .originalArgs(),
                            choice.jar())
                    .write(cloud.folder());
        }
        return () -> {
            if (!point.isThere()) {
                point.remove();
            }
        };
    }

    /** Removes the command line of a job that cannot be resumed. */
    private interface KeptLine extends AutoCloseable {
        @Override
        void close();
    }

    JobChoice choice() {
        return choice;
    }

    boolean json() {
        return json;
    }

    boolean quiet() {
        return quiet;
    }
}
