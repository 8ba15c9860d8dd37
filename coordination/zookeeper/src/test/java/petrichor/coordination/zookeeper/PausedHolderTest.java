package petrichor.coordination.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;
import petrichor.coordination.Claim;
import petrichor.coordination.Coordination;
import petrichor.coordination.Membership;
import petrichor.coordination.testkit.Wait;

/** A real process that pauses for longer than its lease, as in a long pause of its JVM. */
final class PausedHolderTest {
    private static final long LEASE_MILLIS = 600;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int HOLDERS_MAX = 10;

    @Test
    void aPausedHolderNeverTrustsALeaseThatAnotherMemberHas() throws Exception {
        try (TestingServer server = new TestingServer(true);
                Coordination coordination =
                        new Coordination(
                                ZooKeeperLedger.open(server.getConnectString(), "paused", LONG),
                                TimeSource.SYSTEM);
                Membership other = coordination.join("other:1", Duration.ofMillis(LEASE_MILLIS))) {
            int holders = 1;
            while (!believedNothingAfterItsPause(server, other, "x" + holders)) {
                assertThat(++holders).isLessThanOrEqualTo(HOLDERS_MAX);
            }
        }
    }

    /** False if a slow machine let the lease of the holder expire before the test paused it. */
    private static boolean believedNothingAfterItsPause(
            TestingServer server, Membership other, String name) throws Exception {
        Process holder = start(server.getConnectString(), name);
        try {
            BufferedReader says = holder.inputReader();
            assertThat(says.readLine()).isEqualTo("granted");
            if (other.claim(name) instanceof Claim.Granted) {
                return false;
            }
            Wait.untilGraceIsOver(Duration.ofMillis(LEASE_MILLIS));
            signal(holder, "-STOP");
            Wait.until(
                    "the other member gets it",
                    LONG,
                    () -> other.claim(name) instanceof Claim.Granted);
            long taken = System.nanoTime();
            signal(holder, "-CONT");
            List<String> lines = new ArrayList<>();
            for (String line = says.readLine(); line != null; line = says.readLine()) {
                lines.add(line);
            }
            assertThat(lines.removeLast()).isEqualTo("lost");
            assertThat(lines).isNotEmpty();
            assertThat(Long.parseLong(lines.getLast())).isLessThan(taken);
            return true;
        } finally {
            holder.destroyForcibly();
        }
    }

    private static Process start(String servers, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        servers,
                        Long.toString(LEASE_MILLIS),
                        name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void signal(Process process, String name)
            throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", name, "" + process.pid()).start().waitFor()).isZero();
    }
}
