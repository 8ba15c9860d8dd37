package petrichor.frontends.apps;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.transport.ReceivePack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.builds.BuildEvent;
import petrichor.apps.hosting.DeployEvent;

/**
 * Shows a deployment as the lines that Git prints after {@code remote:}. A deployment without news
 * is reported every ten seconds, which keeps the connection open. Thread-safe.
 */
final class PushProgress implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushProgress.class);
    private static final int SILENT_S = 10;
    private static final double MILLIS_PER_SECOND = 1000;

    private final ReceivePack pack;
    private final CountDownLatch ended = new CountDownLatch(1);
    private int lines;

    PushProgress(ReceivePack pack) {
        this.pack = pack;
        Thread.ofVirtual().name("git-push-progress").start(this::report);
    }

    private void report() {
        try {
            int before = 0;
            while (!ended.await(SILENT_S, TimeUnit.SECONDS)) {
                synchronized (this) {
                    if (lines == before) {
                        line("…");
                    }
                    before = lines;
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    void event(DeployEvent event) {
        switch (event) {
            case DeployEvent.Accepted(var version, _, int files, long bytes) ->
                    line(version + ": " + files + " files, " + bytes + " bytes");
            case DeployEvent.Warning(var warning) -> line("app.yaml: " + warning);
            case DeployEvent.Building(BuildEvent.StageStarted _) -> {}
            case DeployEvent.Building(BuildEvent.Output(String output)) -> line("  " + output);
            case DeployEvent.Building(
                            BuildEvent.StageFinished(var stage, var duration, boolean reused)) ->
                    line(
                            stage.name().toLowerCase(Locale.ROOT)
                                    + ": "
                                    + seconds(duration)
                                    + " s"
                                    + (reused ? ", from the cache" : ""));
            case DeployEvent.Applied(var file) ->
                    line(file.file() + ": " + String.join(", ", file.defined()));
            case DeployEvent.Starting _ -> line("starting an instance");
        }
    }

    static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f", duration.toMillis() / MILLIS_PER_SECOND);
    }

    void text(String text) {
        text.strip().lines().forEach(this::line);
    }

    synchronized void line(String line) {
        if (ended.getCount() == 0) {
            return;
        }
        lines++;
        pack.sendMessage(line);
        try {
            pack.getMessageOutputStream().flush();
        } catch (IOException e) {
            LOG.debug("the client of a push has disconnected", e);
        }
    }

    @Override
    public synchronized void close() {
        ended.countDown();
    }
}
