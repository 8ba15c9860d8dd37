package petrichor.coordination.zookeeper;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import petrichor.coordination.Ledger;
import petrichor.coordination.testkit.LeaseConformance;
import petrichor.coordination.testkit.LedgerConformance;
import petrichor.coordination.testkit.LedgerUnderTest;

final class ZooKeeperConformanceTest implements LedgerConformance, LeaseConformance {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final AtomicInteger CLUSTERS = new AtomicInteger();
    private static TestingServer server;

    @BeforeAll
    static void startServer() throws Exception {
        server = new TestingServer(true);
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    /** Each ledger in a separate folder. */
    @Override
    public LedgerUnderTest ledger() {
        String root = "kit" + CLUSTERS.incrementAndGet();
        return new LedgerUnderTest() {
            @Override
            public Ledger connect() {
                return ZooKeeperLedger.open(server.getConnectString(), root, TIMEOUT);
            }

            @Override
            public void close() {}
        };
    }
}
