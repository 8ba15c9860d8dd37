package petrichor.coordination.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Ledger.Change;
import petrichor.coordination.Ledger.Place;

/** A user and a password in {@code cluster.coordination}. */
class DigestTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private TestingServer server;

    @BeforeEach
    void startServer() throws Exception {
        server = new TestingServer(true);
    }

    @AfterEach
    void stopServer() throws Exception {
        server.close();
    }

    private ZooKeeperLedger open(String login) {
        return ZooKeeperLedger.open(
                server.getConnectString(), "digest", TIMEOUT, Optional.of(login));
    }

    @Test
    void theRightPasswordGivesAccess() {
        Place place = new Place("values", "kept");
        try (ZooKeeperLedger ledger = open("ann:right")) {
            assertThat(ledger.change(List.of(new Change.Create(place, new byte[] {1})))).isTrue();
        }
        try (ZooKeeperLedger ledger = open("ann:right")) {
            assertThat(ledger.read(place)).isPresent();
        }
    }

    @Test
    void aWrongPasswordIsReportedImmediately() {
        open("ann:right").close();
        assertThatThrownBy(() -> open("ann:wr0ng"))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.PERMISSION_DENIED))
                .hasMessageContaining("password")
                .satisfies(refused -> assertThat(refused).message().doesNotContain("wr0ng"));
    }
}
