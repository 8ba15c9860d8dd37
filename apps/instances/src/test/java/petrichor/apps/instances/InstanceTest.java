package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.apps.instances.TestHost.ended;
import static petrichor.apps.instances.TestHost.failed;
import static petrichor.apps.instances.TestHost.started;
import static petrichor.apps.instances.TestHost.timeouts;
import static petrichor.apps.instances.TestHost.until;
import static petrichor.apps.instances.TestHost.with;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life of an instance, with real processes. */
final class InstanceTest {
    @TempDir Path folder;
    private TestHost tested;

    @BeforeEach
    void open() throws IOException {
        tested = new TestHost(folder);
    }

    @AfterEach
    void close() {
        tested.close();
    }

    @Test
    void answersOnItsPortAndStops() throws Exception {
        Instance instance = tested.start(tested.spec("graceful"));
        List<InstanceState> states = new CopyOnWriteArrayList<>();
        instance.onState(states::add);
        assertThat(started(instance)).isEqualTo(new InstanceState.Ready());
        assertThat(tested.ask(instance, "/read", "path", "app.py")).contains("An app for tests");
        assertThat(tested.host.instances()).containsExactly(instance);

        instance.stop("no more requests");

        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("no more requests"));
        assertThat(states)
                .containsExactly(
                        new InstanceState.Starting(),
                        new InstanceState.Ready(),
                        new InstanceState.Draining("no more requests"),
                        new InstanceState.Stopped("no more requests"));
        assertThat(tested.lines(LogLine.Stream.STDOUT)).contains("got SIGTERM");
        assertThat(tested.host.instances()).isEmpty();
        assertThat(tested.host.memoryBytes()).isZero();
        assertThat(folder.resolve("host/instances")).isEmptyDirectory();
        assertThat(groupsOfHost()).isEmpty();
    }

    private List<String> groupsOfHost() throws IOException {
        return List.copyOf(TestHost.machine().groups().existing("petrichor-" + prefix() + "-"));
    }

    private String prefix() throws IOException {
        return InstanceHost.hash(folder.resolve("host").toRealPath());
    }

    @Test
    void severalInstancesHaveTheirOwnPorts() throws Exception {
        Instance first = tested.ready(tested.spec("serve"));
        Instance second = tested.ready(tested.spec("serve"));
        assertThat(first.port()).isNotEqualTo(second.port());
        assertThat(tested.ask(first, "/environ")).contains("\"PORT\": \"" + first.port() + "\"");
        assertThat(tested.ask(second, "/environ")).contains("\"PORT\": \"" + second.port() + "\"");
    }

    @Test
    void aShellLineKnowsThePort() throws Exception {
        Command line = new Command.ShellLine("env PORT=$PORT python3 app.py \"serve\" && true");
        Instance instance = tested.ready(with(tested.spec("serve"), line));
        assertThat(tested.ask(instance, "/ids")).startsWith("[");
    }

    @Test
    void theReasonOfACrashHasTheLastLines() throws Exception {
        InstanceState.Failed failed = failed(tested.start(tested.spec("crash")));
        assertThat(failed.failure()).isEqualTo(InstanceState.Failure.EXITED);
        assertThat(failed.reason())
                .startsWith("exited with status 3; the last lines of its output:\nline 11\n")
                .endsWith("\nline 29\nno module named shop");
        assertThat(tested.lines(LogLine.Stream.PLATFORM)).contains("failed: exited with status 3");
    }

    @Test
    void aMissingProgramIsNamed() throws Exception {
        Command missing = new Command.Program(List.of("gunicorn-of-nowhere", "main:app"));
        InstanceState.Failed failed = failed(tested.start(with(tested.spec("serve"), missing)));
        assertThat(failed.reason())
                .startsWith("exited with status 127")
                .contains("gunicorn-of-nowhere: not found");
    }

    @Test
    void aMissingCodeFolderIsNamed() throws Exception {
        InstanceFiles files = InstanceFiles.of(folder.resolve("nowhere"));
        InstanceState.Failed failed = failed(tested.start(with(tested.spec("serve"), files)));
        assertThat(failed.failure()).isEqualTo(InstanceState.Failure.LAUNCH);
        assertThat(failed.reason()).contains("cannot open the folder " + folder.resolve("nowhere"));
    }

    @Test
    void anAppThatNeverListensFails() throws Exception {
        InstanceSpec spec = tested.spec("silent");
        InstanceTimeouts timeouts = timeouts(Duration.ofSeconds(2));
        Instance instance =
                tested.start(with(spec, InstanceLifecycle.DEFAULT.withTimeouts(timeouts)));
        InstanceState.Failed failed = failed(instance);
        assertThat(failed.failure()).isEqualTo(InstanceState.Failure.NOT_READY_IN_TIME);
        assertThat(failed.reason())
                .startsWith("did not listen on $PORT (" + instance.port() + ") within 2 s")
                .endsWith("waiting for nothing");
        assertThat(started(instance)).isEqualTo(failed);
    }

    @Test
    void anInstanceThatEndsLaterHasFailed() throws Exception {
        Instance instance = tested.ready(tested.spec("serve"));
        Thread.ofVirtual().start(() -> askWithoutAnswer(instance));
        assertThat(failed(instance).reason()).startsWith("exited with status 5");
    }

    private void askWithoutAnswer(Instance instance) {
        try {
            tested.ask(instance, "/exit", "status", "5");
        } catch (IOException | InterruptedException expected) {
            // It exits instead of answering.
        }
    }

    @Test
    void anyAnswerPassesTheWarmUpCheck() throws Exception {
        StartCheck check = new StartCheck.Answering("/_ah/warmup", Map.of());
        InstanceLifecycle lifecycle = tested.spec("serve").lifecycle().withCheck(check);
        tested.ready(with(tested.spec("serve"), lifecycle));
        assertThat(tested.lines(LogLine.Stream.STDOUT)).contains("GET /_ah/warmup");
    }

    @Test
    void theStartCheckAcceptsSuccessAndNotFound() throws Exception {
        for (String status : List.of("200", "204", "299", "404")) {
            tested.ready(startCheck(status));
        }
        assertThat(tested.lines(LogLine.Stream.STDOUT)).contains("GET /_ah/start");
    }

    @Test
    void theStartCheckRefusesOtherStatuses() throws Exception {
        for (String status : List.of("302", "403", "500")) {
            InstanceState.Failed failed = failed(tested.start(startCheck(status)));
            assertThat(failed.failure()).isEqualTo(InstanceState.Failure.START_REFUSED);
            assertThat(failed.reason()).startsWith("answered GET /_ah/start with status " + status);
        }
    }

    private InstanceSpec startCheck(String status) {
        InstanceSpec spec = with(tested.spec("serve"), Map.of("START_STATUS", status));
        return with(
                spec, spec.lifecycle().withCheck(new StartCheck.Starting("/_ah/start", Map.of())));
    }

    @Test
    void aPortThatOtherMachinesReachIsReported() throws Exception {
        tested.ready(tested.spec("everywhere"));
        assertThat(tested.lines(LogLine.Stream.PLATFORM)).contains("listens on all addresses");
    }

    @Test
    void stopWaitsForRequestsAndSendsTheStopRequest() throws Exception {
        InstanceSpec spec = tested.spec("graceful");
        StopRequest request = new StopRequest("/_ah/stop", Map.of());
        Instance instance = tested.ready(with(spec, spec.lifecycle().withStopRequest(request)));
        CompletableFuture<Void> drained = new CompletableFuture<>();
        instance.stop("a new version", drained);
        until("it drains", () -> instance.state() instanceof InstanceState.Draining);
        // It still serves.
        assertThat(tested.ask(instance, "/ids")).startsWith("[");
        assertThat(instance.ended()).isNotDone();
        drained.complete(null);
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("a new version"));
        assertThat(tested.lines(LogLine.Stream.STDOUT))
                .containsSubsequence("GET /ids", "GET /_ah/stop", "got SIGTERM");
    }

    @Test
    void drainingIsLimited() throws Exception {
        InstanceTimeouts timeouts =
                new InstanceTimeouts(
                        Duration.ofSeconds(60),
                        Duration.ofMillis(100),
                        Duration.ZERO,
                        Duration.ofSeconds(30));
        Instance instance =
                tested.ready(
                        with(
                                tested.spec("graceful"),
                                InstanceLifecycle.DEFAULT.withTimeouts(timeouts)));
        instance.stop("a new version", new CompletableFuture<>());
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("a new version"));
    }

    @Test
    void anAppThatIgnoresSigtermIsKilled() throws Exception {
        InstanceTimeouts timeouts =
                new InstanceTimeouts(
                        Duration.ofSeconds(60),
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ofMillis(500));
        Instance instance =
                tested.ready(
                        with(
                                tested.spec("stubborn"),
                                InstanceLifecycle.DEFAULT.withTimeouts(timeouts)));
        instance.stop("too old");
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("too old"));
        assertThat(tested.lines(LogLine.Stream.PLATFORM))
                .contains("did not end within 500 ms after SIGTERM and is killed");
    }

    @Test
    void killDoesNotWait() throws Exception {
        Instance instance = tested.ready(tested.spec("stubborn"));
        instance.stop("too old", new CompletableFuture<>());
        until("it drains", () -> instance.state() instanceof InstanceState.Draining);
        instance.kill("now");
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("too old"));
    }

    @Test
    void anInstanceCanBeStoppedWhileItStarts() throws Exception {
        Instance instance = tested.start(tested.spec("silent"));
        until("it runs", () -> textOfStdout().contains("waiting for nothing"));
        instance.stop("changed my mind");
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("changed my mind"));
        assertThat(started(instance)).isEqualTo(new InstanceState.Stopped("changed my mind"));
    }

    private String textOfStdout() {
        try {
            return tested.lines(LogLine.Stream.STDOUT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aProcessThatLeftTheTreeIsKilled() throws Exception {
        String mark = TestHost.mark();
        Instance instance = tested.ready(tested.spec("serve", "sleep", mark));
        assertThat(tested.ask(instance, "/daemonise")).isEqualTo("daemonised");
        until("it runs", () -> TestHost.processes("sleep " + mark).size() == 1);
        instance.stop("too old");
        ended(instance);
        assertThat(TestHost.processes("sleep " + mark)).isEmpty();
    }

    @Test
    void aListenerThatFailsDisturbsNothing() throws Exception {
        Instance instance = tested.start(tested.spec("serve"));
        instance.onState(
                state -> {
                    throw new IllegalStateException("planted");
                });
        assertThat(started(instance)).isEqualTo(new InstanceState.Ready());
    }

    @Test
    void outputOfTenThousandLinesASecondNeverStopsTheApp() throws Exception {
        long begin = System.nanoTime();
        Instance instance = tested.ready(tested.spec("flood", "10000", "3"));
        until("the flood is over", () -> textOfStderr().contains("flood is over"));
        assertThat(instance.state()).isEqualTo(new InstanceState.Ready());
        instance.stop("done");
        ended(instance);
        long kept = tested.lines().stream().filter(TestHost::isFlood).count();
        long dropped = instance.usage().droppedLines();
        assertThat(kept + dropped).isEqualTo(30_000);
        // A burst of one second, and 1,000 lines in each second.
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;
        assertThat(kept).isBetween(1_000L, 1_000 * (seconds + 1));
        assertThat(dropped).isPositive();
        assertThat(tested.lines(LogLine.Stream.PLATFORM))
                .contains("lines dropped: more than 1000 lines per second");
    }

    private String textOfStderr() {
        try {
            return tested.lines(LogLine.Stream.STDERR);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theTemporaryFolderIsDeletedWithItsFiles() throws Exception {
        Instance instance = tested.ready(tested.spec("serve"));
        String environment = tested.ask(instance, "/environ");
        String temporary = environment.replaceAll(".*\"TMPDIR\": \"([^\"]*)\".*", "$1");
        assertThat(tested.ask(instance, "/write", "path", temporary + "/file"))
                .isEqualTo("written");
        instance.stop("done");
        ended(instance);
        assertThat(Path.of(temporary).resolve("file")).doesNotExist();
        try (var rest = Files.walk(folder.resolve("host/instances"))) {
            assertThat(rest).containsExactly(folder.resolve("host/instances"));
        }
    }
}
