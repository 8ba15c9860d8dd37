package petrichor.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;
import petrichor.coordination.Coordination;
import petrichor.coordination.Ledger;
import petrichor.coordination.Member;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.rpc.Owner;
import petrichor.rpc.PeerAuthentication;

/** Two servers over one ledger, and a database that moves from the first to the second. */
class OwnershipTest {
    private static final String DATABASE = "db";

    /** Long enough that no member expires during the test. */
    private static final Duration LEASE = Duration.ofHours(1);

    private static final ClusterSettings SETTINGS =
            new ClusterSettings(LEASE, true, PeerAuthentication.NONE, LEASE);

    private final AtomicLong nanos = new AtomicLong();
    private final Ledger ledger = new EmbeddedLedger();
    private final Server first = new Server("127.0.0.1:1");
    private final Server second = new Server("127.0.0.1:2");

    /** The clock of ownership is the test's; membership has the machine's. */
    private final class Server implements AutoCloseable {
        private final String address;
        private final Coordination coordination = new Coordination(ledger, TimeSource.SYSTEM);
        private final Ownership ownership =
                new Ownership(coordination, SETTINGS, () -> true, _ -> {}, new TestClock());

        Server(String address) {
            this.address = address;
        }

        void join() {
            ownership.join(address);
        }

        Member self() {
            return ownership.self().orElseThrow();
        }

        /** As for a call that another server has forwarded to this one. */
        Owner findForArrived() {
            return ownership.find(DATABASE, true);
        }

        @Override
        public void close() {
            ownership.close();
            coordination.close();
        }
    }

    private final class TestClock implements TimeSource {
        @Override
        public long epochMicros() {
            return nanos.get() / 1_000;
        }

        @Override
        public long monotonicNanos() {
            return nanos.get();
        }
    }

    @BeforeEach
    void join() {
        // The second first, so that the first one sees it when it joins.
        second.join();
        first.join();
        assertThat(first.ownership.members()).contains(second.self());
    }

    @AfterEach
    void leave() {
        first.close();
        second.close();
    }

    /** Otherwise late calls and the handover would move the database to and fro. */
    @Test
    void aServerDoesNotClaimWhatItHasJustHandedOver() {
        assertThat(first.findForArrived()).isInstanceOf(Owner.Here.class);
        first.ownership.handOver(DATABASE, second.self());
        assertThat(first.findForArrived())
                .isEqualTo(new Owner.There(Ownership.peer(second.self()), 0));
        assertThat(first.ownership.holds(DATABASE)).isFalse();

        assertThat(second.findForArrived()).isInstanceOf(Owner.Here.class);
        assertThat(first.findForArrived())
                .isInstanceOfSatisfying(
                        Owner.There.class,
                        owner -> {
                            assertThat(owner.peer()).isEqualTo(Ownership.peer(second.self()));
                            assertThat(owner.epoch()).as("of the claim").isPositive();
                        });
    }

    @Test
    void afterALeaseAServerClaimsWhatTheOtherDidNot() {
        assertThat(first.findForArrived()).isInstanceOf(Owner.Here.class);
        first.ownership.handOver(DATABASE, second.self());
        nanos.addAndGet(LEASE.toNanos() - 1);
        assertThat(first.findForArrived()).isInstanceOf(Owner.There.class);
        nanos.addAndGet(1);
        assertThat(first.findForArrived()).isInstanceOf(Owner.Here.class);
    }
}
