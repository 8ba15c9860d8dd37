package petrichor.cli;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.jobgraph.JobCost;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.leased.Settlement;
import petrichor.jobs.service.CloudJson;
import petrichor.jobs.service.JobImage;
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
            "Runs a job: the plan that a class in JAR writes. Options stand before JAR.",
            "It runs in this process, or in a server if one is named: by --host, --port, --data or"
                    + " DATASTORE_EMULATOR_HOST. Ctrl-C cancels it."
        })
final class JobRunCommand implements Callable<Integer> {
    /** What a shell expects of a program that Ctrl-C has ended. */
    private static final int INTERRUPTED = 130;

    /** A little longer than an engine waits for code that loops. */
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(12);

    @Mixin private JobChoice choice = new JobChoice();
    @Mixin private EngineChoice engine = new EngineChoice();
    @Mixin private ServerAddress address = new ServerAddress();
    @Spec private @Nullable CommandSpec spec;
    @Mixin private CloudChoice cloud = new CloudChoice();

    @Option(names = "--local", description = "In this process, even if a server is named.")
    private boolean local;

    @Option(
            names = "--detach",
            description = "Submits it to the server, prints its id and does not wait for it.")
    private boolean detach;

    @Option(
            names = "--learned",
            description =
                    "Its tasks get as many subtasks as earlier runs in the server taught, instead"
                            + " of as many as the plan says.")
    private boolean learned;

    @Option(
            names = "--elastic",
            description =
                    "Stateless tasks get more subtasks while they hold the job up, and lose them"
                            + " when they do not need them any more. Only where it runs in one"
                            + " process.")
    private boolean elastic;

    @Option(names = "--json", description = "The job at its end, as one object.")
    private boolean json;

    @Option(names = "--quiet", description = "Only results and failures.")
    private boolean quiet;

    @Override
    public Integer call() throws InterruptedException {
        Terminal terminal = Terminal.open(quiet);
        JobStatusLine line = new JobStatusLine();
        AtomicBoolean ended = new AtomicBoolean();
        JobImage end;
        // A server that only the environment names is for the job's data, if it wants any.
        if (cloud.isChosen() && (local || !address.isGiven())) {
            return leased(terminal, line, ended);
        }
        if (local || !address.isNamed()) {
            if (detach) {
                throw PetrichorException.invalid(
                        "--detach needs a server; name one with --host or --port");
            }
            if (learned) {
                throw PetrichorException.invalid(
                        "--learned needs a server, whose history has what was learned; name one"
                                + " with --host or --port");
            }
            try (LocalJob job =
                    LocalJob.start(
                            choice.jar(), submission(), image -> show(image, terminal, line))) {
                onInterrupt(ended, job::cancel);
                end = job.await();
                ended.set(true);
            }
        } else {
            try (ServerAddress.Connection connection = address.connect(false);
                    JobPages pages = JobPages.of(connection, address)) {
                Submission submission = submission();
                String id =
                        pages.submit(choice.jar(), learned ? submission.withLearned() : submission);
                if (detach) {
                    System.out.println(id);
                    return ExitCode.OK.number();
                }
                onInterrupt(ended, () -> cancel(pages, id));
                end = pages.follow(id, image -> show(image, terminal, line));
                ended.set(true);
            }
        }
        return tell(end, terminal, true);
    }

    /** On machines that come and go while it runs. */
    private int leased(Terminal terminal, JobStatusLine line, AtomicBoolean ended) {
        if (detach || learned || elastic || engine.isMade()) {
            throw PetrichorException.invalid(
                    "--cloud does not go together with --elastic, --workers and --backend, and with"
                            + " --detach and --learned only where --host or --port names a server");
        }
        String resumes = cloud.resumes();
        String id = resumes == null ? CloudChoice.job(choice.jar()) : resumes;
        LeasedMachines machines =
                cloud.open(
                        id,
                        choice.jar(),
                        said -> {
                            synchronized (terminal) {
                                terminal.say(said);
                            }
                        });
        JobImage end;
        ResumePoint point = KeptJob.point(cloud.folder(), id);
        try (machines;
                KeptLine _ = keep(id, resumes != null);
                LocalJob job =
                        LocalJob.start(
                                choice.jar(),
                                engine.submission(choice),
                                machines,
                                image -> show(image, terminal, line))) {
            onInterrupt(ended, job::cancel);
            end = job.await();
        }
        ended.set(true);
        if (point.isThere()) {
            terminal.complain(
                    "it has ended "
                            + point.stagesDone()
                            + " of "
                            + point.stages()
                            + " stages and keeps their files; go on with: petrichor job resume "
                            + id
                            + cloud.folderOption());
        }
        JobCost cost = Settlement.cost(machines.cost());
        if (json) {
            JsonObject both = end.json(false);
            both.add("cost", CloudJson.of(cost));
            System.out.println(both);
            return tell(end, terminal, false);
        }
        int code = tell(end, terminal, true);
        if (!quiet) {
            System.out.print(Settlement.text(cost));
        }
        return code;
    }

    private Submission submission() {
        Submission plain = engine.submission(choice);
        if (cloud.isChosen()) {
            plain = plain.leasing(cloud.termsElsewhere());
        }
        return elastic ? plain.withElasticity() : plain;
    }

    /** For as long as the job runs, and longer if it stops. */
    private KeptLine keep(String id, boolean resumes) {
        ResumePoint point = KeptJob.point(cloud.folder(), id);
        if (resumes) {
            KeptJob.read(cloud.folder(), id).ifPresent(choice::checkSame);
        } else {
            KeptJob.of(
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

    /** Removes the line of a job that cannot be gone on with. */
    private interface KeptLine extends AutoCloseable {
        @Override
        void close();
    }

    JobChoice choice() {
        return choice;
    }

    private static void show(JobImage image, Terminal terminal, JobStatusLine line) {
        synchronized (terminal) {
            if (terminal.showsStatus()) {
                terminal.status(line.of(image));
            }
        }
    }

    private static void cancel(JobPages pages, String id) {
        try {
            pages.cancel(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (PetrichorException gone) {
            // A server that is gone runs no job either.
        }
    }

    private static void onInterrupt(AtomicBoolean ended, Runnable cancel) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (!ended.get()) {
                                        cancel.run();
                                        awaitEnd(ended);
                                        Runtime.getRuntime().halt(INTERRUPTED);
                                    }
                                },
                                "cancel job"));
    }

    private static void awaitEnd(AtomicBoolean ended) {
        long until = System.nanoTime() + END_WAIT_MAX.toNanos();
        try {
            while (!ended.get() && System.nanoTime() < until) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * @param shows whether standard output gets it too
     */
    private int tell(JobImage end, Terminal terminal, boolean shows) {
        if (json && shows) {
            System.out.println(end.json(false));
        } else if (!quiet && shows) {
            terminal.say("");
            Table table = new Table(System.out);
            JobStatusLine.rows(end).forEach(table::row);
            table.end();
            JobStatusLine.scalings(end).forEach(terminal::say);
            JobStatusLine.counters(end).forEach(terminal::say);
            if (end.cost() != null) {
                System.out.print(Settlement.text(end.cost()));
            }
        }
        double seconds = end.elapsed() == null ? 0 : end.elapsed().toMillis() / 1e3;
        if (end.state() == JobState.FINISHED) {
            terminal.say(String.format(Locale.ROOT, "%s: done in %.2f s", end.name(), seconds));
            return ExitCode.OK.number();
        }
        ErrorCode code = end.code();
        String why = end.failure();
        terminal.complain(
                end.name()
                        + (end.state() == JobState.CANCELED ? " was cancelled" : " failed")
                        + (why == null ? "" : ": " + why));
        return code == null ? ExitCode.FAILURE.number() : ExitCode.of(code).number();
    }
}
