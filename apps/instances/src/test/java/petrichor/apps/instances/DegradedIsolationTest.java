package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.apps.instances.TestHost.ended;
import static petrichor.apps.instances.TestHost.failed;
import static petrichor.apps.instances.TestHost.with;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.PrivateFolder;

/** Instances on machines that lack some of the features. */
final class DegradedIsolationTest {
    @TempDir Path folder;

    private static Isolation without(IsolationFeature... features) {
        Isolation isolation = TestHost.machine();
        for (IsolationFeature feature : features) {
            isolation = isolation.without(feature, "no " + feature);
        }
        return isolation;
    }

    static Stream<Isolation> isolations() {
        return Stream.of(
                TestHost.machine(),
                without(IsolationFeature.OWN_USER),
                without(IsolationFeature.NAMESPACES),
                without(
                        IsolationFeature.MEMORY_LIMIT,
                        IsolationFeature.CPU_LIMIT,
                        IsolationFeature.PROCESS_LIMIT),
                without(
                        IsolationFeature.NAMESPACES,
                        IsolationFeature.MEMORY_LIMIT,
                        IsolationFeature.CPU_LIMIT,
                        IsolationFeature.PROCESS_LIMIT),
                without(IsolationFeature.values()));
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void anInstanceLivesAndEndsWithAllItsProcesses(Isolation isolation) throws Exception {
        String mark = TestHost.mark();
        try (TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine())) {
            InstanceSpec spec = tested.spec("graceful", "sleep", mark);
            Instance instance = tested.ready(with(spec, Map.of("KEEP", "1", "SECRET", "s")));
            assertThat(tested.ask(instance, "/environ"))
                    .contains("\"SECRET\": \"s\"")
                    .doesNotContain("\"CI\"", "JAVA_HOME");
            assertThat(tested.ask(instance, "/daemonise")).isEqualTo("daemonised");
            TestHost.until("it runs", () -> TestHost.processes("sleep " + mark).size() == 1);

            instance.stop("done");

            assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("done"));
            assertThat(tested.lines(LogLine.Stream.STDOUT)).contains("got SIGTERM");
            assertThat(TestHost.processes("sleep " + mark)).isEmpty();
            assertThat(folder.resolve("host/instances")).isEmptyDirectory();
        }
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void aCrashHasItsReason(Isolation isolation) throws Exception {
        try (TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine())) {
            assertThat(failed(tested.start(tested.spec("crash"))).reason())
                    .startsWith("exited with status 3")
                    .endsWith("no module named shop");
        }
    }

    /** It listens before the instance does, which would be ready otherwise. */
    @ParameterizedTest
    @MethodSource("isolations")
    void anotherProcessOnThePortIsNotTheInstance(Isolation isolation) throws Exception {
        try (TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine())) {
            Instance instance = tested.start(tested.spec("silent"));
            try (var _ = new ServerSocket(instance.port(), 1, InetAddress.getLoopbackAddress())) {
                assertThat(failed(instance).failure()).isEqualTo(InstanceState.Failure.PORT_TAKEN);
            }
        }
    }

    @Test
    void withoutNamespacesTheUserStillProtectsOthers() throws Exception {
        TestHost.require(IsolationFeature.OWN_USER);
        Isolation isolation = without(IsolationFeature.NAMESPACES);
        try (TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine())) {
            PrivateFolder.create(tested.data);
            Instance first = tested.ready(tested.spec("serve"));
            Instance second = tested.ready(tested.spec("serve"));
            String firstFolder = temporary(tested.ask(first, "/environ"));
            assertThat(tested.ask(first, "/write", "path", firstFolder + "/file"))
                    .isEqualTo("written");
            assertThat(tested.ask(second, "/list", "path", firstFolder))
                    .isEqualTo("error: PermissionError");
            assertThat(tested.ask(second, "/read", "path", tested.data + "/secret"))
                    .isEqualTo("error: PermissionError");
            assertThat(tested.ask(second, "/write", "path", tested.code + "/planted"))
                    .isEqualTo("error: PermissionError");
            long platform = ProcessHandle.current().pid();
            assertThat(tested.ask(second, "/read", "path", "/proc/" + platform + "/environ"))
                    .isEqualTo("error: PermissionError");
        }
    }

    private static String temporary(String environment) {
        return environment.replaceAll(".*\"TMPDIR\": \"([^\"]*)\".*", "$1");
    }

    @Test
    void withoutControlGroupsMemoryIsLimitedPerProcess() throws Exception {
        Isolation isolation =
                without(
                        IsolationFeature.MEMORY_LIMIT,
                        IsolationFeature.CPU_LIMIT,
                        IsolationFeature.PROCESS_LIMIT);
        try (TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine())) {
            InstanceState.Failed failed = failed(tested.start(tested.spec("hog")));
            assertThat(failed.failure()).isEqualTo(InstanceState.Failure.EXITED);
            assertThat(failed.reason()).contains("MemoryError");
        }
    }

    @Test
    void eachMissingFeatureHasASentence() {
        Isolation isolation =
                TestHost.machine()
                        .without(IsolationFeature.OWN_USER, "Instances share a user.")
                        .without(IsolationFeature.NAMESPACES, "Instances see all processes.");
        assertThat(isolation.limitations())
                .containsAll(List.of("Instances share a user.", "Instances see all processes."));
        assertThat(isolation.has(IsolationFeature.OWN_USER)).isFalse();
        assertThat(isolation.namespaces()).isEqualTo(Isolation.Namespaces.NONE);
    }
}
