package petrichor.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster.Layout;
import petrichor.deployment.StoreCluster.State;

/** A real Redis on two hosts reached by a real ssh. */
@Tag("slow")
class OverSshTest {
    @TempDir static Path folders;
    private static StoreCluster machines;
    private final SampleRedis redis = new SampleRedis();

    @BeforeAll
    static void startMachines() {
        try {
            machines =
                    StoreCluster.create(
                            new SampleSshd(),
                            folders.resolve("machines"),
                            Layout.here(2).onAnyPorts(),
                            Progress.SILENT);
            machines.start(Progress.SILENT);
        } catch (PetrichorException missing) {
            if (System.getenv("CI") != null) {
                throw missing;
            }
            throw new TestAbortedException("NOT TESTED: ssh. " + missing.getMessage(), missing);
        }
    }

    @AfterAll
    static void stopMachines() {
        StoreCluster.destroy(folders.resolve("machines"));
    }

    private static Host.OverSsh host(int number) {
        return SampleSshd.host(machines.cluster().nodes().get(number - 1));
    }

    private static Path home(int number) {
        return SampleSshd.home(machines.cluster().nodes().get(number - 1));
    }

    @Test
    void storeRunsOnOtherMachines() throws Exception {
        Path folder = folders.resolve("redis");
        StoreCluster store =
                StoreCluster.create(
                        redis,
                        folder,
                        new Layout(List.of(host(1), host(2)), false),
                        Progress.SILENT);
        try {
            store.start(Progress.SILENT);
            List<Node> nodes = store.cluster().nodes();
            assertThat(nodes).extracting(Node::address).containsExactly("127.0.0.1", "127.0.0.2");
            assertThat(nodes.getLast().folder()).startsWith(home(2)).exists();
            assertThat(SampleRedis.ask(nodes.getLast(), "SET a 1")).isEqualTo("+OK");

            StoreCluster later = StoreCluster.open(redis, folder);
            later.kill(nodes.getLast());
            assertThat(later.state(nodes.getFirst())).isEqualTo(State.SERVES);
            assertThat(later.state(nodes.getLast())).isEqualTo(State.STOPPED);
            later.start(Progress.SILENT);
            assertThat(SampleRedis.ask(nodes.getLast(), "EXISTS a")).isEqualTo(":1");

            Process log = new ProcessBuilder(later.logCommand(nodes.getFirst(), 50, false)).start();
            assertThat(new String(log.getInputStream().readAllBytes(), UTF_8))
                    .contains("Ready to accept");

            assertThat(later.stop()).isEmpty();
            later.wipe();
            assertThat(nodes.getLast().folder()).doesNotExist();
            assertThat(folder).doesNotExist();
        } finally {
            StoreCluster.destroy(folder);
        }
    }

    @Test
    void jarsAreCopiedToTheOtherMachine() throws IOException {
        Dependency jars =
                new Dependency.Jars(
                        "annotations", List.of("org.jspecify:jspecify:1.0.0"), Map.of(), List.of());
        DependencyInstaller supplies = new DependencyInstaller("1", Progress.SILENT);
        for (int again = 0; again < 2; again++) {
            Path place = supplies.on(host(1), List.of(jars)).values().iterator().next().place();
            assertThat(place).startsWith(home(1).toRealPath());
            assertThat(place.toFile().list()).containsExactly("jspecify-1.0.0.jar");
        }
    }

    @Test
    void unreachableMachineIsNamedAndItsStateIsUnknown() {
        Node first = machines.cluster().first();
        Host away =
                new Host.OverSsh(
                        "127.0.0.3",
                        Optional.empty(),
                        List.of("-F", "/dev/null", "-p", "" + first.port("ssh")));
        NodeProcess process = new NodeProcess(away, first);
        assertThatThrownBy(process::runs)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("ssh cannot reach 127.0.0.3")
                .extracting(failure -> ((PetrichorException) failure).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
