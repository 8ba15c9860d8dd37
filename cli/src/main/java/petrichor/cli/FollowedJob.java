package petrichor.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.Settlement;
import petrichor.jobs.service.JobImage;

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

    void show(JobImage image) {
        synchronized (terminal) {
            if (terminal.showsStatus()) {
                terminal.status(line.of(image));
            }
        }
    }

    /** To its end in a server; gives the command's exit code. */
    int follow(JobPages pages, String id) throws InterruptedException {
        onInterrupt(() -> cancel(pages, id));
        JobImage end = pages.follow(id, this::show);
        hasEnded();
        return tell(end, true);
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

    void onInterrupt(Runnable cancel) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (ended.getCount() > 0) {
                                        cancel.run();
                                        awaitEnd();
                                        Runtime.getRuntime().halt(INTERRUPTED);
                                    }
                                },
                                "cancel job"));
    }

    void hasEnded() {
        ended.countDown();
    }

    private void awaitEnd() {
        try {
            if (!ended.await(END_WAIT_MAX.toSeconds(), TimeUnit.SECONDS)) {
                complain("the job has not ended yet; the command does not wait any longer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * @param shows whether standard output gets it too
     */
    int tell(JobImage end, boolean shows) {
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
