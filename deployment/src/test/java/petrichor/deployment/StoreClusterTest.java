package petrichor.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster.Layout;
import petrichor.deployment.StoreCluster.State;

/** Real servers that are started, stopped, killed and found again. */
@Tag("slow")
class StoreClusterTest {
    @TempDir Path folders;
    private StoreDeployment deployment = new SampleRedis();

    private Path folder() {
        return folders.resolve("store");
    }

    private StoreCluster create(int nodes) {
        return StoreCluster.create(
                deployment, folder(), Layout.here(nodes).onAnyPorts(), Progress.SILENT);
    }

    private StoreCluster found() {
        return StoreCluster.open(deployment, folder());
    }

    /** A server that drops root privileges must be able to enter this folder. */
    @BeforeEach
    void letEverybodyIn() throws IOException {
        Files.setPosixFilePermissions(folders, PosixFilePermissions.fromString("rwx--x--x"));
    }

    @AfterEach
    void killWhatIsLeft() {
        if (StoreCluster.existsIn(folder())) {
            StoreCluster left = found();
            left.cluster().nodes().forEach(left::kill);
            left.wipe();
        }
    }

    @Test
    void startedNodesServeAndAnotherCommandFindsThem() {
        create(3).start(Progress.SILENT);
        StoreCluster later = found();
        assertThat(later.cluster().nodes()).hasSize(3);
        assertThat(later.cluster().nodes())
                .extracting(Node::address)
                .containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.3");
        assertThat(later.cluster().nodes())
                .allSatisfy(node -> assertThat(later.state(node)).isEqualTo(State.SERVES));
        assertThat(later.stop()).isEmpty();
        assertThat(later.cluster().nodes())
                .allSatisfy(node -> assertThat(later.state(node)).isEqualTo(State.STOPPED));
    }

    @Test
    void acknowledgedWritesSurviveAKillAndTheAddressStaysTheSame() {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        String url = store.url();
        Node node = store.cluster().first();
        assertThat(SampleRedis.ask(node, "SET a 1")).isEqualTo("+OK");
        store.kill(node);
        assertThat(store.state(node)).isEqualTo(State.STOPPED);
        found().start(Progress.SILENT);
        assertThat(found().url()).isEqualTo(url);
        assertThat(SampleRedis.ask(node, "EXISTS a")).isEqualTo(":1");
    }

    @Test
    void startingARunningNodeDoesNothing() {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        OptionalLong before = store.pid(store.cluster().first());
        found().start(Progress.SILENT);
        assertThat(store.pid(store.cluster().first())).isEqualTo(before).isPresent();
    }

    @Test
    void pausedNodeIsSilentUntilItIsResumed() {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        Node node = store.cluster().first();
        store.pause(node);
        assertThat(store.state(node)).isEqualTo(State.SILENT);
        store.resume(node);
        assertThat(store.state(node)).isEqualTo(State.SERVES);
    }

    @Test
    void pausedNodeCanBeStopped() {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        store.pause(store.cluster().first());
        store.stop();
        assertThat(store.state(store.cluster().first())).isEqualTo(State.STOPPED);
    }

    @Test
    void dataIsNotWipedWhileANodeRuns() {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        assertThatThrownBy(store::wipe)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("stop it");
        assertThat(SampleRedis.ask(store.cluster().first(), "PING")).isEqualTo("+PONG");
        store.stop();
        store.wipe();
        assertThat(folder()).doesNotExist();
    }

    @Test
    void wipingKeepsForeignFiles() throws IOException {
        StoreCluster store = create(1);
        Path note = Files.writeString(folder().resolve("note"), "mine");
        store.wipe();
        assertThat(folder()).isDirectoryContaining(file -> file.equals(note));
        assertThatThrownBy(() -> create(1)).hasMessageContaining("not empty");
    }

    @Test
    void anotherProcessWithTheSameIdIsNeverTakenForANode() throws Exception {
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        Node node = store.cluster().first();
        Path file = Path.of(node.folder() + ".process");
        String mark = Files.readString(file).split(" ", -1)[1];
        store.stop();
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(file, other.pid() + " " + mark);
            assertThat(store.state(node)).isEqualTo(State.STOPPED);
            store.stop();
            store.kill(node);
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void portInUseIsNamedAndNothingIsStarted() throws IOException {
        StoreCluster store = create(2);
        Node second = store.cluster().nodes().getLast();
        try (ServerSocket _ =
                new ServerSocket(
                        second.port("client"), 1, InetAddress.getByName(second.address()))) {
            assertThatThrownBy(() -> store.start(Progress.SILENT))
                    .hasMessageContaining("port " + second.port("client") + " on 127.0.0.2");
        }
        assertThat(store.cluster().nodes())
                .allSatisfy(node -> assertThat(store.state(node)).isEqualTo(State.STOPPED));
    }

    @Test
    void serverThatEndsImmediatelyIsReportedWithItsLog() {
        deployment = new Misfit(List.of("sh", "-c", "echo the disk is on fire; exit 7"));
        StoreCluster store = create(1);
        assertThatThrownBy(() -> store.start(Progress.SILENT))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("ended")
                .hasMessageContaining("the disk is on fire")
                .extracting(failure -> ((PetrichorException) failure).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void serverThatNeverAnswersIsStoppedAgain() {
        deployment = new Misfit(List.of("sleep", "600"));
        StoreCluster store = create(1);
        assertThatThrownBy(() -> store.start(Progress.SILENT))
                .hasMessageContaining("does not answer after");
        assertThat(store.state(store.cluster().first())).isEqualTo(State.STOPPED);
    }

    @Test
    void serverThatIgnoresTheRequestToEndIsKilled() {
        Path ignores = folders.resolve("ignores");
        String program = "trap '' TERM; : > \"$0\"; while :; do sleep 600 & wait; done";
        deployment =
                new Misfit(List.of("sh", "-c", program, ignores.toString())) {
                    @Override
                    public boolean serves(Cluster cluster, Node node) {
                        return Files.exists(ignores);
                    }
                };
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        assertThat(store.stop()).hasSize(1);
        assertThat(store.state(store.cluster().first())).isEqualTo(State.STOPPED);
    }

    @Test
    void secondCommandIsRefusedWhileTheFirstRuns() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        deployment =
                new Misfit(List.of("sleep", "600")) {
                    @Override
                    public boolean serves(Cluster cluster, Node node) {
                        asked.countDown();
                        try {
                            return goOn.await(1, TimeUnit.MINUTES);
                        } catch (InterruptedException impossible) {
                            throw new IllegalStateException(impossible);
                        }
                    }
                };
        StoreCluster store = create(1);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> first = threads.submit(() -> store.start(Progress.SILENT));
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
            assertThatThrownBy(() -> found().start(Progress.SILENT))
                    .hasMessageContaining("another command is using " + folder());
            assertThatThrownBy(() -> found().stop()).hasMessageContaining("another command");
            assertThatThrownBy(() -> create(1)).hasMessageContaining("already");
            goOn.countDown();
            first.get(1, TimeUnit.MINUTES);
        }
        assertThat(store.state(store.cluster().first())).isEqualTo(State.SERVES);
    }

    @Test
    void tooManyNodesAreRefused() {
        deployment = new SamplePostgres();
        assertThatThrownBy(() -> create(2)).hasMessageContaining("1 to 1 nodes");
    }

    @Test
    void preparationRunsOnceAndRootStepsDown() {
        deployment = new SamplePostgres();
        StoreCluster store = create(1);
        store.start(Progress.SILENT);
        Node node = store.cluster().first();
        assertThat(node.folder().resolve("data/PG_VERSION")).hasContent("15");
        store.kill(node);
        store.start(Progress.SILENT);
        assertThat(store.state(node)).isEqualTo(State.SERVES);
        assertThat(store.stop()).isEmpty();
    }

    /** Runs the given command, which does not behave like a server. */
    private static class Misfit implements StoreDeployment {
        private final List<String> command;

        Misfit(List<String> command) {
            this.command = command;
        }

        @Override
        public String store() {
            return "misfit";
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public int nodesMax() {
            return 1;
        }

        @Override
        public List<Dependency> supplies() {
            return List.of();
        }

        @Override
        public Map<String, Integer> ports() {
            return Map.of();
        }

        @Override
        public NodeRecipe recipe(Cluster cluster, Node node) {
            return new NodeRecipe(Map.of(), List.of(), command, Map.of(), false);
        }

        @Override
        public boolean serves(Cluster cluster, Node node) {
            return false;
        }

        @Override
        public Duration startTimeMax() {
            return Duration.ofSeconds(1);
        }

        @Override
        public Duration stopTimeMax() {
            return Duration.ofSeconds(1);
        }

        @Override
        public String url(Cluster cluster) {
            return "misfit://nowhere/";
        }
    }
}
