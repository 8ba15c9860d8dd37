package petrichor.cli.jobs;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.jobs.engine.ExitCall;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.LocalJob;
import petrichor.jobs.service.Progress;

/** Follows a job to its end, for commands that wait for one. Thread-safe. */
final class FollowedJob {
    /** Exit code that shells expect of a program ended by Ctrl-C. */
    private static final int INTERRUPTED = 130;

    /** A little longer than an engine waits for looping user code. */
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(12);

    private final boolean json;
    private final boolean quiet;
    private final Terminal terminal;
    private final JobStatusLine line = new JobStatusLine();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private int repeatsTold;

    /**
     * @param json print the completed job as one JSON object
     * @param quiet print failures only
     */
    FollowedJob(boolean json, boolean quiet) {
        this.json = json;
        this.quiet = quiet;
        this.terminal = Terminal.open(quiet);
    }

    void say(String text) {
        synchronized (terminal) {
            terminal.say(text);
        }
    }

    void complain(String text) {
        synchronized (terminal) {
            terminal.complain(text);
        }
    }

    void show(JobSnapshot snapshot) {
        synchronized (terminal) {
            List<RepeatedStage> repeats = snapshot.attempts();
            while (repeatsTold < repeats.size()) {
                terminal.say(snapshot.name() + ": " + repeats.get(repeatsTold++).text());
            }
            if (terminal.showsStatus()) {
                terminal.status(line.of(snapshot));
            }
        }
    }

    /** What the job's code printed, as if it ran here. */
    private void print(Progress.Event.Printed printed) {
        synchronized (terminal) {
            PrintStream to = printed.getError() ? System.err : System.out;
            to.print(printed.getText());
            to.flush();
        }
    }

    /** Follows a job on a server to its end and returns the exit code of the command. */
    int follow(JobPages pages, String id) throws InterruptedException {
        onExit(
                call -> {
                    cancel(pages, id);
                    awaitEnd();
                    Runtime.getRuntime().halt(INTERRUPTED);
                });
        JobSnapshot end = pages.follow(id, this::show, this::print);
        hasEnded();
        return over(tell(end, true));
    }

    private static void cancel(JobPages pages, String id) {
        try {
            pages.cancel(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (PetrichorException gone) {
            // If the server is unreachable, the job is not running either.
        }
    }

    /**
     * Handles an early exit of the process while it runs the job. Ctrl-C cancels the job. If a
     * program's {@code main} calls {@code System.exit}, submitted jobs run to their end, and the
     * exit status is that of {@code main}. If other code of the job calls it, the job fails.
     */
    void guard(LocalJob job) {
        onExit(call -> endsEarly(job, call.orElse(null)));
    }

    private void endsEarly(LocalJob job, @Nullable ExitCall call) {
        if (call == null) {
            job.cancel();
            awaitEnd();
            Runtime.getRuntime().halt(INTERRUPTED);
        } else if (job.endsMain(call)) {
            awaitOver();
        } else {
            job.stop(call);
            awaitEnd();
            awaitOver();
            Runtime.getRuntime().halt(ExitCode.FAILURE.number());
        }
    }

    private void onExit(Consumer<Optional<ExitCall>> early) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (over.getCount() > 0) {
                                        early.accept(ExitCall.find());
                                    }
                                },
                                "end of job"));
    }

    /** Marks all output as written: from now on the process exits with the command's own code. */
    int over(int code) {
        over.countDown();
        return code;
    }

    private void awaitOver() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void hasEnded() {
        ended.countDown();
    }

    private void awaitEnd() {
        try {
            if (!ended.await(END_WAIT_MAX.toSeconds(), TimeUnit.SECONDS)) {
                complain("the job is still running; this command stopped waiting");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * @param shows whether to print the results to standard output too
     */
    int tell(JobSnapshot end, boolean shows) {
        if (json && shows) {
            System.out.println(end.json(false));
        } else if (!quiet && shows) {
            terminal.say("");
            TextTable table = new TextTable(resultsTo(end));
            JobStatusLine.rows(end).forEach(table::row);
            table.end();
            JobStatusLine.scalings(end).forEach(terminal::say);
            JobStatusLine.counters(end).forEach(terminal::say);
            JobStatusLine.plans(end).forEach(terminal::say);
            if (end.cost() != null) {
                resultsTo(end).print(LeaseSettlement.text(end.cost()));
            }
        }
        double seconds = end.job().getElapsedMillis() / 1e3;
        if (end.state() == JobState.FINISHED) {
            terminal.say(String.format(Locale.ROOT, "%s: done in %.2f s", end.name(), seconds));
            return ExitCode.OK.number();
        }
        String why = end.failure();
        terminal.complain(
                end.name()
                        + (end.state() == JobState.CANCELED ? " was cancelled" : " failed")
                        + (why == null ? "" : ": " + why));
        return end.job().hasExitStatus()
                ? end.job().getExitStatus()
                : ExitCode.ofJob(end.code()).number();
    }

    /**
     * Where results are printed: standard error if the job is a {@code main}, which owns standard
     * output.
     */
    static PrintStream resultsTo(JobSnapshot end) {
        return end.isMain() ? System.err : System.out;
    }
}
