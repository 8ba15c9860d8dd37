package petrichor.coordination.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.coordination.Claim;
import petrichor.coordination.Coordination;
import petrichor.coordination.Membership;
import petrichor.coordination.testkit.Wait;

/** Leases during failures of ZooKeeper itself. */
final class EnsembleTest {
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int TICK_MILLIS = 200;

    @Test
    void aRestartOfZooKeeperLosesNoLease() throws Exception {
        try (TestingServer server = new TestingServer(true);
                Coordination one = coordination(server.getConnectString());
                Coordination other = coordination(server.getConnectString());
                Membership first = one.join("a:1", LEASE);
                Membership second = other.join("b:2", LEASE)) {
            Claim held = first.claim("x");
            assertThat(held).isInstanceOf(Claim.Granted.class);
            server.stop();
            Wait.until("the lease is over", LONG, () -> !first.valid());
            Wait.until("the loss is a problem", LONG, () -> one.problem().isPresent());
            server.restart();
            Wait.until("both are members again", LONG, () -> first.valid() && second.valid());
            assertThat(first.claim("x")).isEqualTo(held);
            assertThat(second.claim("x")).isInstanceOf(Claim.Held.class);
            Wait.until("the problem is over", LONG, () -> one.problem().isEmpty());
        }
    }

    @Test
    @Tag("slow")
    void aFailureOfTheLeaderLosesNoLease() throws Exception {
        try (TestingCluster ensemble = ensemble()) {
            ensemble.start();
            try (Coordination one = coordination(ensemble.getConnectString());
                    Coordination other = coordination(ensemble.getConnectString());
                    Membership first = one.join("a:1", LEASE);
                    Membership second = other.join("b:2", LEASE)) {
                Claim held = first.claim("x");
                assertThat(held).isInstanceOf(Claim.Granted.class);
                InstanceSpec leader = leader(ensemble);
                assertThat(ensemble.killServer(leader)).isTrue();
                Wait.until(
                        "a new leader takes claims of both",
                        LONG,
                        () ->
                                first.valid()
                                        && second.valid()
                                        && answer(second, "y") instanceof Claim.Granted
                                        && answer(first, "x") != null);
                assertThat(first.claim("x")).isEqualTo(held);
            }
        }
    }

    /** Null while the server to which this member is connected has no leader. */
    private static @Nullable Claim answer(Membership member, String resource) {
        try {
            return member.claim(resource);
        } catch (PetrichorException unreachable) {
            return null;
        }
    }

    private static InstanceSpec leader(TestingCluster ensemble) throws IOException {
        for (InstanceSpec server : ensemble.getInstances()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
                socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
                byte[] answer = socket.getInputStream().readAllBytes();
                if (new String(answer, StandardCharsets.US_ASCII).contains("Mode: leader")) {
                    return server;
                }
            }
        }
        throw new AssertionError("no leader among " + ensemble.getInstances());
    }

    private static TestingCluster ensemble() {
        List<InstanceSpec> specs =
                java.util.stream.IntStream.rangeClosed(1, 3)
                        .mapToObj(
                                id ->
                                        new InstanceSpec(
                                                null,
                                                -1,
                                                -1,
                                                -1,
                                                true,
                                                id,
                                                TICK_MILLIS,
                                                -1,
                                                Map.of(),
                                                "127.0.0.1"))
                        .toList();
        return new TestingCluster(specs);
    }

    private static Coordination coordination(String servers) {
        return new Coordination(
                ZooKeeperLedger.open(servers, "ensemble", LEASE), TimeSource.SYSTEM);
    }
}
