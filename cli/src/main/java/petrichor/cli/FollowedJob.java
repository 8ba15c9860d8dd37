package petrichor.cli;

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
import petrichor.jobs.engine.ExitCall;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.service.JobEvent;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.LocalJob;

/** How a job goes and has ended, for commands that wait for one. Safe for all threads. */
final class FollowedJob {
    /** What a shell expects of a program that Ctrl-C has ended. */
    private static final int INTERRUPTED = 130;

    /** A little longer than an engine waits for code that loops. */
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(12);

    private final boolean json;
    private final boolean quiet;
    private final Terminal terminal;
    private final JobStatusLine line = new JobStatusLine();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private int repeatsTold;

    /**
     * @param json at its end, all of it as one object
     * @param quiet only what failed
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

    void show(JobSnapshot image) {
        synchronized (terminal) {
            List<RepeatedStage> repeats = image.report().attempts();
            while (repeatsTold < repeats.size()) {
                terminal.say(image.name() + ": " + repeats.get(repeatsTold++).text());
            }
            if (terminal.showsStatus()) {
                terminal.status(line.of(image));
            }
        }
    }

    /** What the job's code printed, as if it ran here. */
    private void print(JobEvent.Printed printed) {
        synchronized (terminal) {
            PrintStream to = printed.error() ? System.err : System.out;
            to.print(printed.text());
            to.flush();
        }
    }

    /** To its end in a server; gives the command's exit code. */
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
            // A server that is gone runs no job either.
        }
    }

    /**
     * Sees to a job of this process when the process ends early. Ctrl-C cancels it. {@code
     * System.exit} is the end of a program's {@code main}: what it has submitted runs to its end,
     * and the status stays {@code main}'s. Anywhere else in the job's code, it fails the job.
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

    /** All output is written: from here on the process ends as its command specifies. */
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
     * @param shows whether standard output gets it too
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
        double seconds = end.elapsed() == null ? 0 : end.elapsed().toMillis() / 1e3;
        if (end.state() == JobState.FINISHED) {
            terminal.say(String.format(Locale.ROOT, "%s: done in %.2f s", end.name(), seconds));
            return ExitCode.OK.number();
        }
        String why = end.failure();
        terminal.complain(
                end.name()
                        + (end.state() == JobState.CANCELED ? " was cancelled" : " failed")
                        + (why == null ? "" : ": " + why));
        Integer status = end.report().exitStatus();
        return status != null ? status : ExitCode.ofJob(end.code()).number();
    }

    /** Standard output is {@code main}'s where the job is one. */
    static PrintStream resultsTo(JobSnapshot end) {
        return end.report().isMains() ? System.err : System.out;
    }
}
