package petrichor.cli;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cloud.leasing.CostReport;
import petrichor.jobs.engine.StageRuntime;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.local.PlanFiles;
import petrichor.jobs.service.Backends;
import petrichor.jobs.service.JobImage;
import petrichor.jobs.service.LocalJob;
import petrichor.jobs.service.Submission;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
    @Mixin private ServerAddress address = new ServerAddress();
    @Mixin private CloudChoice cloud = new CloudChoice();

    @Option(names = "--local", description = "In this process, even if a server is named.")
    private boolean local;

    @Option(
            names = "--detach",
            description = "Submits it to the server, prints its id and does not wait for it.")
    private boolean detach;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description =
                    "In so many worker processes on the machine where it runs: when one dies, its"
                            + " stage begins again in new ones. Default: none of them")
    private int workers;

    @Option(
            names = "--learned",
            description =
                    "Its tasks get as many subtasks as earlier runs in the server taught, instead"
                            + " of as many as the plan says.")
    private boolean learned;

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            description = {
                "What runs its tasks, in place of this process: flink, for a Flink in this process,"
                        + " or flink://HOST:PORT, for a cluster such as `petrichor flink start`"
                        + " makes."
            })
    private @Nullable String backend;

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
        if (cloud.isChosen()) {
            return leased(terminal, line, ended);
        }
        if (local || backend != null || !address.isNamed()) {
            if (detach) {
                throw PetrichorException.invalid(
                        "--detach needs a server; name one with --host or --port");
            }
            if (learned) {
                throw PetrichorException.invalid(
                        "--learned needs a server, whose history has what was learned; name one"
                                + " with --host or --port");
            }
            try (StageRuntime runtime = runtime();
                    LocalJob job = start(runtime, image -> show(image, terminal, line))) {
                onInterrupt(ended, job::cancel);
                end = job.await();
                ended.set(true);
            }
        } else {
            try (ServerAddress.Connection connection = address.connect(false);
                    JobPages pages = JobPages.of(connection, address)) {
                Submission submission = choice.submission(workers);
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
        boolean elsewhere = backend != null || (address.isNamed() && !local);
        if (detach || learned || workers > 0 || elsewhere) {
            throw PetrichorException.invalid(
                    "--cloud leases machines for a job that runs here: it does not go together with"
                            + " a server, --detach, --learned, --workers and --backend");
        }
        LeasedMachines machines =
                cloud.open(
                        choice.jar(),
                        said -> {
                            synchronized (terminal) {
                                terminal.say(said);
                            }
                        });
        JobImage end;
        try (machines;
                LocalJob job =
                        LocalJob.start(
                                choice.jar(),
                                choice.submission(0),
                                machines,
                                image -> show(image, terminal, line))) {
            onInterrupt(ended, job::cancel);
            end = job.await();
        }
        ended.set(true);
        CostReport cost = machines.cost();
        if (json) {
            JsonObject both = end.json(false);
            both.add("cost", CloudChoice.json(cost));
            System.out.println(both);
            return tell(end, terminal, false);
        }
        int code = tell(end, terminal, true);
        if (!quiet) {
            System.out.print(cost.text());
        }
        return code;
    }

    /** Null where the job runs in this process or its workers. */
    private @Nullable StageRuntime runtime() {
        if (backend == null) {
            return null;
        }
        if (workers > 0) {
            throw PetrichorException.invalid("--workers and --backend exclude each other");
        }
        // Others speak of their affairs at length; what matters is thrown.
        Logger.getLogger("").setLevel(Level.OFF);
        boolean document = PlanFiles.isDocument(choice.jar());
        return Backends.open(backend, document ? List.of() : List.of(choice.jar()));
    }

    private LocalJob start(@Nullable StageRuntime runtime, Consumer<JobImage> follower) {
        return runtime == null
                ? LocalJob.start(choice.jar(), choice.submission(workers), follower)
                : LocalJob.start(choice.jar(), choice.submission(0), runtime, follower);
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
