package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;

/** Servers that start to use one store; time passes only when a test advances it. */
class StoreLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final StoreIdentity CLUSTER =
            StoreIdentity.cluster("c1", "zookeeper://one/petrichor");

    private final TestTime time = new TestTime();
    private final Set<String> dead = ConcurrentHashMap.newKeySet();
    private final List<String> notices = new ArrayList<>();
    private Consumer<Duration> whilePaused = _ -> {};

    private final ClaimContext around =
            new ClaimContext(
                    time,
                    pause -> {
                        time.advanceMicros(pause.toNanos() / 1_000);
                        whilePaused.accept(pause);
                    },
                    dead::contains,
                    notices::add);

    private static MemoryStore store(MemoryOptions.Tier tier) {
        return MemoryStore.open(MemoryOptions.DEFAULT.withTier(tier).withoutViews());
    }

    private static MemoryStore store() {
        return store(MemoryOptions.Tier.A);
    }

    private StoreLease enter(KeyValueStore store, StoreIdentity identity, String name) {
        return StoreLease.enter(
                store, identity, new StoreHeartbeat.Holder(name, "process " + name), LEASE, around);
    }

    private void pass(Duration duration) {
        time.advanceMicros(duration.toNanos() / 1_000);
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B", "B_PLAIN"})
    void oneStandaloneServerAtATime(MemoryOptions.Tier tier) {
        try (MemoryStore store = store(tier)) {
            StoreLease first = enter(store, StoreIdentity.STANDALONE, "one");
            assertThat(first.valid()).isTrue();
            whilePaused = _ -> first.renew();
            assertThatThrownBy(() -> enter(store, StoreIdentity.STANDALONE, "two"))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused -> {
                                assertThat(refused.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
                                assertThat(refused)
                                        .hasMessageContaining("in use by another server (one)");
                            });
            assertThat(first.valid()).isTrue();
            first.close();
            StoreLease second = enter(store, StoreIdentity.STANDALONE, "two");
            assertThat(second.valid()).isTrue();
            assertThat(notices).as("one waited").hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B", "B_PLAIN"})
    void aSilentServerLosesTheStoreOnlyAfterItHasStopped(MemoryOptions.Tier tier) {
        try (MemoryStore store = store(tier)) {
            StoreLease first = enter(store, StoreIdentity.STANDALONE, "one");
            StoreLease second = enter(store, StoreIdentity.STANDALONE, "two");
            assertThat(second.valid()).isTrue();
            assertThat(first.valid()).as("its lease is over").isFalse();
            first.renew();
            assertThat(first.valid()).as("it finds its successor").isFalse();
            assertThat(first.problem()).get().asString().contains("has taken over the store");
            second.renew();
            assertThat(second.valid()).isTrue();
        }
    }

    @Test
    void aClaimWaitsForAHeartbeatSinceTheLastCheck() {
        try (MemoryStore below = store()) {
            StoreLease[] first = new StoreLease[1];
            KeyValueStore store =
                    new ForwardingStore(below) {
                        private int removed;

                        @Override
                        public void write(WriteBatch batch) {
                            super.write(batch);
                            boolean removal = batch.ops().getFirst() instanceof WriteBatch.Delete;
                            if (removal && removed++ == 0) {
                                // No server has claimed a term yet: it is renewed for a lease.
                                first[0].renew();
                                assertThat(first[0].valid()).isTrue();
                            }
                        }
                    };
            first[0] = enter(below, StoreIdentity.STANDALONE, "one");
            StoreLease second = enter(store, StoreIdentity.STANDALONE, "two");
            assertThat(second.valid()).isTrue();
            assertThat(first[0].valid()).isFalse();
        }
    }

    @Test
    void aClaimDoesNotWaitForAnEndedServerOfThisMachine() {
        try (MemoryStore store = store()) {
            StoreLease killed = enter(store, StoreIdentity.STANDALONE, "one");
            dead.add("process one");
            StoreLease second = enter(store, StoreIdentity.STANDALONE, "two");
            assertThat(second.valid()).isTrue();
            assertThat(killed.valid()).as("no time has passed").isTrue();
            assertThat(notices).isEmpty();
        }
    }

    @Test
    void theServersOfAClusterShareTheStore() {
        try (MemoryStore store = store()) {
            StoreLease one = enter(store, CLUSTER, "one");
            StoreLease two =
                    enter(store, StoreIdentity.cluster("c1", "zookeeper://moved/petrichor"), "two");
            one.renew();
            two.renew();
            assertThat(one.valid()).isTrue();
            assertThat(two.valid()).isTrue();
        }
    }

    @Test
    void aServerOfAnotherIdentityIsRefused() {
        try (MemoryStore store = store()) {
            enter(store, CLUSTER, "one").close();
            assertRefused(store, StoreIdentity.STANDALONE, "zookeeper://one/petrichor");
            assertRefused(
                    store,
                    StoreIdentity.cluster("c2", "zookeeper://one/other"),
                    "zookeeper://one/petrichor");
            assertRefused(
                    store,
                    StoreIdentity.cluster("c2", "zookeeper://one/petrichor"),
                    "no longer knows that cluster");
        }
        try (MemoryStore store = store()) {
            enter(store, StoreIdentity.STANDALONE, "one").close();
            assertRefused(store, CLUSTER, "belongs to a standalone server");
        }
    }

    private void assertRefused(KeyValueStore store, StoreIdentity identity, String why) {
        assertThatThrownBy(() -> enter(store, identity, "other"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why)
                .hasMessageContaining("petrichor store adopt");
    }

    @Test
    void aStoreIsAdoptedAndAdoptedBack() {
        try (MemoryStore store = store()) {
            enter(store, StoreIdentity.STANDALONE, "one").close();
            assertThat(StoreLease.adopt(store, CLUSTER, "adopt", around))
                    .contains(StoreIdentity.STANDALONE);
            assertThat(StoreLease.identityOf(store)).contains(CLUSTER);
            StoreLease member = enter(store, CLUSTER, "two");
            assertThat(member.valid()).isTrue();
            member.close();
            assertThat(StoreLease.adopt(store, StoreIdentity.STANDALONE, "adopt", around))
                    .contains(CLUSTER);
            assertRefused(store, CLUSTER, "belongs to a standalone server");
            assertThat(enter(store, StoreIdentity.STANDALONE, "three").valid()).isTrue();
        }
    }

    @Test
    void aStoreIsNotAdoptedWhileAServerUsesIt() {
        try (MemoryStore store = store()) {
            StoreLease member = enter(store, CLUSTER, "one");
            whilePaused = _ -> member.renew();
            assertThatThrownBy(
                            () ->
                                    StoreLease.adopt(
                                            store, StoreIdentity.STANDALONE, "adopt", around))
                    .hasMessageContaining("in use by another server (one)");
            assertThat(StoreLease.identityOf(store)).contains(CLUSTER);
            whilePaused = _ -> {};
            StoreLease.adopt(store, StoreIdentity.STANDALONE, "adopt", around);
            assertThat(member.valid()).isFalse();
            member.renew();
            assertThat(member.valid()).isFalse();
        }
    }

    @Test
    void aStoreOfAnEarlierVersionIsClaimedByTheFirstServer() {
        try (MemoryStore store = store()) {
            try (RowDatabases earlier = new RowDatabases(store)) {
                earlier.open("p");
            }
            assertThat(StoreLease.identityOf(store)).isEmpty();
            enter(store, CLUSTER, "one");
            assertThat(StoreLease.identityOf(store)).contains(CLUSTER);
            assertThat(notices)
                    .singleElement()
                    .asString()
                    .contains("databases of an earlier version", "zookeeper://one/petrichor");
        }
    }

    @Test
    void theLeaseLapsesWhileTheStoreIsUnreachableAndReturnsWithIt() {
        try (MemoryStore below = store()) {
            boolean[] unreachable = new boolean[1];
            KeyValueStore store =
                    new ForwardingStore(below) {
                        @Override
                        public void write(WriteBatch batch) {
                            if (unreachable[0]) {
                                // The write arrives, but the caller gets an error.
                                super.write(batch);
                                throw new PetrichorException(ErrorCode.UNAVAILABLE, "no answer");
                            }
                            super.write(batch);
                        }
                    };
            StoreLease lease = enter(store, StoreIdentity.STANDALONE, "one");
            unreachable[0] = true;
            pass(LEASE.dividedBy(2));
            lease.renew();
            assertThat(lease.valid()).isTrue();
            pass(LEASE.dividedBy(2));
            assertThat(lease.valid()).isFalse();
            lease.renew();
            assertThat(lease.problem()).get().asString().contains("no answer");
            unreachable[0] = false;
            lease.renew();
            assertThat(lease.valid()).isTrue();
            assertThat(lease.problem()).isEmpty();
            assertThat(new StoreTerms(below).heartbeats())
                    .as("the rows of lost heartbeats")
                    .hasSize(1);
        }
    }

    @Test
    void rowsOfKilledServersAreRemovedEventually() {
        try (MemoryStore store = store()) {
            StoreLease one = enter(store, CLUSTER, "one");
            StoreLease killed = enter(store, CLUSTER, "two");
            one.sweep();
            one.renew();
            killed.renew();
            one.sweep();
            assertThat(new StoreTerms(store).heartbeats()).hasSize(2);
            one.renew();
            one.sweep();
            assertThat(new StoreTerms(store).heartbeats())
                    .as("the other one was silent")
                    .hasSize(1);
            killed.renew();
            assertThat(killed.valid()).as("it was only paused").isTrue();
        }
    }

    @Test
    void readsAreRefusedWithoutTheLease() {
        try (MemoryStore store = store();
                RowDatabases rows =
                        new RowDatabases(
                                store, TransactionLimits.DEFAULT, time, new SplittableRandom(1))) {
            StoreLease lease = enter(store, StoreIdentity.STANDALONE, "one");
            Databases databases = new GuardedDatabases(rows, lease);
            Database database = databases.open("p");
            database.snapshot().close();
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
            pass(LEASE);
            for (Runnable read :
                    List.<Runnable>of(
                            database::snapshot,
                            () -> database.snapshotAt(time.epochMicros()),
                            () -> database.changes().after(0, 1, 1),
                            () -> database.changes().consumers(),
                            () -> database.transaction(transaction.id()),
                            () -> database.begin(new TransactionOptions.Optimistic(null)),
                            () -> databases.open("p"))) {
                assertThatThrownBy(read::run)
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                refused ->
                                        assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                        .hasMessageContaining("the store has not answered for");
            }
            lease.renew();
            database.snapshot().close();
        }
    }
}
