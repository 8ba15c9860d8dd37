package petrichor.coordination.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.coordination.testkit.Conditions.LEASE;
import static petrichor.coordination.testkit.Conditions.LONG_LEASE;
import static petrichor.coordination.testkit.Conditions.SHORT;
import static petrichor.coordination.testkit.Conditions.WATCHING_LEASE;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;
import petrichor.coordination.Claim;
import petrichor.coordination.Coordination;
import petrichor.coordination.Member;
import petrichor.coordination.Membership;
import petrichor.coordination.Value;

/** Conformance of leases, members and values over a ledger. */
public interface LeaseConformance {
    LedgerUnderTest ledger() throws Exception;

    private static Coordination coordination(LedgerUnderTest under) {
        return new Coordination(under.connect(), TimeSource.SYSTEM);
    }

    private static long granted(Claim claim) {
        assertThat(claim).isInstanceOf(Claim.Granted.class);
        return ((Claim.Granted) claim).epoch();
    }

    /** Retries the claim until it is granted, and returns the time on the monotonic clock. */
    private static long takeover(Membership member, String name) {
        Wait.until(
                "the name is given to another member",
                SHORT,
                () -> member.claim(name) instanceof Claim.Granted);
        return System.nanoTime();
    }

    @Test
    default void aNameHasOneHolder() throws Exception {
        try (LedgerUnderTest under = ledger();
                Coordination one = coordination(under);
                Coordination other = coordination(under);
                Membership first = one.join("a:1", LONG_LEASE);
                Membership second = other.join("b:2", LONG_LEASE)) {
            granted(first.claim("db/1"));
            assertThat(second.claim("db/1"))
                    .isInstanceOfSatisfying(
                            Claim.Held.class,
                            held -> assertThat(held.holder()).isEqualTo(first.self()));
            assertThat(first.claim("db/1"))
                    .as("asked again, it is still the same")
                    .isEqualTo(first.claim("db/1"));
            granted(second.claim("db/2"));
            assertThat(one.holdings())
                    .extracting(holding -> holding.name())
                    .containsExactlyInAnyOrder("db/1", "db/2");
        }
    }

    @Test
    default void oneOfManyConcurrentClaimsIsGranted() throws Exception {
        int servers = 4;
        int names = 10;
        try (LedgerUnderTest under = ledger();
                ExecutorService threads = Executors.newFixedThreadPool(servers)) {
            List<Coordination> coordinations = new ArrayList<>();
            List<Membership> members = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                coordinations.add(coordination(under));
                members.add(coordinations.getLast().join("s" + i + ":1", LONG_LEASE));
            }
            for (int n = 0; n < names; n++) {
                String name = "n" + n;
                List<Callable<Claim>> asks = new ArrayList<>();
                members.forEach(member -> asks.add(() -> member.claim(name)));
                int winners = 0;
                for (var claim : threads.invokeAll(asks)) {
                    winners += claim.get() instanceof Claim.Granted ? 1 : 0;
                }
                assertThat(winners).as(name).isEqualTo(1);
            }
            members.forEach(Membership::close);
            coordinations.forEach(Coordination::close);
        }
    }

    @Test
    default void epochsGrowWithEachHolder() throws Exception {
        try (LedgerUnderTest under = ledger();
                Coordination one = coordination(under);
                Coordination other = coordination(under);
                Membership first = one.join("a:1", LONG_LEASE);
                Membership second = other.join("b:2", LONG_LEASE)) {
            List<Long> epochs = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                epochs.add(granted(first.claim("x")));
                first.release("x");
                epochs.add(granted(second.claim("x")));
                second.release("x");
            }
            assertThat(epochs).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    default void namesOfALeavingMemberAreFreeImmediately() throws Exception {
        try (LedgerUnderTest under = ledger();
                Coordination one = coordination(under);
                Coordination other = coordination(under);
                Membership second = other.join("b:2", LONG_LEASE)) {
            Membership first = one.join("a:1", LONG_LEASE);
            granted(first.claim("x"));
            first.close();
            assertThat(first.valid()).isFalse();
            granted(second.claim("x"));
        }
    }

    /**
     * Records the time before each successful check, so that a check that is scheduled late cannot
     * be mistaken for a lease that is valid for too long.
     */
    private static boolean validAfter(Membership member, AtomicLong moment) {
        long before = System.nanoTime();
        if (!member.valid()) {
            return false;
        }
        moment.set(before);
        return true;
    }

    @Test
    default void aDisconnectedHolderStopsBeforeAnotherBegins() throws Exception {
        try (LedgerUnderTest under = ledger()) {
            DisconnectedLedger connection = new DisconnectedLedger(under.connect());
            try (Coordination one = new Coordination(connection, TimeSource.SYSTEM);
                    Coordination other = coordination(under);
                    Membership first = one.join("a:1", LEASE);
                    Membership second = other.join("b:2", LEASE)) {
                long former = granted(first.claim("x"));
                Wait.untilGraceIsOver(LEASE);
                connection.mute();
                AtomicLong lastValid = new AtomicLong(System.nanoTime());
                Thread watch =
                        Thread.ofPlatform()
                                .start(
                                        () ->
                                                Wait.until(
                                                        "it stops",
                                                        SHORT,
                                                        () -> !validAfter(first, lastValid)));
                long taken = takeover(second, "x");
                watch.join();
                assertThat(first.valid()).isFalse();
                assertThat(lastValid.get()).isLessThan(taken);
                assertThat(granted(second.claim("x"))).isGreaterThan(former);
                connection.unmute();
                first.lost().get(SHORT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
                assertThat(first.valid()).isFalse();
            }
        }
    }

    @Test
    default void aHolderThatReconnectsInTimeLosesNothing() throws Exception {
        try (LedgerUnderTest under = ledger()) {
            DisconnectedLedger connection = new DisconnectedLedger(under.connect());
            try (Coordination one = new Coordination(connection, TimeSource.SYSTEM);
                    Membership alone = one.join("a:1", LEASE)) {
                long epoch = granted(alone.claim("x"));
                connection.mute();
                Wait.until("its lease is over", SHORT, () -> !alone.valid());
                connection.unmute(); // no other member could take over
                Wait.until("it is valid again", SHORT, alone::valid);
                assertThat(granted(alone.claim("x"))).isEqualTo(epoch);
                assertThat(alone.lost()).isNotDone();
            }
        }
    }

    @Test
    default void joiningAndLeavingMembersAreObserved() throws Exception {
        try (LedgerUnderTest under = ledger()) {
            DisconnectedLedger connection = new DisconnectedLedger(under.connect());
            try (Coordination one = coordination(under);
                    Coordination other = new Coordination(connection, TimeSource.SYSTEM);
                    Membership first = one.join("a:1", LEASE)) {
                AtomicReference<List<Member>> seen = new AtomicReference<>(List.of());
                one.watchMembers(seen::set);
                Membership second = other.join("b:2", LEASE);
                Wait.until(
                        "it is seen",
                        SHORT,
                        () -> seen.get().equals(List.of(first.self(), second.self())));
                connection.mute();
                Wait.until("it is gone", SHORT, () -> seen.get().equals(List.of(first.self())));
                assertThat(one.members()).containsExactly(first.self());
                second.close();
            }
        }
    }

    @Test
    default void valuesAreSharedAndWatched() throws Exception {
        try (LedgerUnderTest under = ledger();
                Coordination one = coordination(under);
                Coordination other = coordination(under);
                Membership first = one.join("a:1", WATCHING_LEASE)) {
            assertThat(first.valid()).isTrue();
            AtomicReference<Value> seen = new AtomicReference<>();
            one.watchValue("colour", seen::set);
            assertThat(seen.get().version()).isZero();
            assertThat(other.store("colour", new byte[] {1}, 0)).isTrue();
            assertThat(other.store("colour", new byte[] {2}, 0)).isFalse();
            assertThat(other.store("colour", new byte[] {3}, 1)).isTrue();
            Wait.until(
                    "the watcher sees it",
                    SHORT,
                    () -> seen.get().bytes().length == 1 && seen.get().bytes()[0] == 3);
        }
    }
}
