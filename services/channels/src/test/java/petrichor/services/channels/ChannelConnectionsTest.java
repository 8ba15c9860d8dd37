package petrichor.services.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.services.channels.ChannelConnection.Event;
import petrichor.services.channels.ChannelOwner.End;

/** A server with connections, and the owner behind it. */
final class ChannelConnectionsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final OwnerFixture owner = new OwnerFixture();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final MemoryBudget memory = MemoryBudget.of("connections", 1 << 20);
    private final ChannelConnections connections = connections(10);
    private final List<ChannelConnection> opened = new ArrayList<>();

    @AfterEach
    void closesAndReturnsAllMemory() {
        opened.forEach(one -> one.close(true));
        connections.close();
        owner.close();
        workers.close();
        assertThat(memory.bytesUsed()).isZero();
        assertThat(connections.open()).isZero();
    }

    private ChannelConnections connections(int connectionsMax) {
        return new ChannelConnections(
                new Calls(),
                new ChannelLimits(100, connectionsMax),
                memory,
                owner.time,
                new SecureRandom(),
                workers);
    }

    /** Calls the present owner in another thread, as the rpc layer does. */
    private final class Calls implements ChannelOwner {
        private <T> CompletableFuture<T> later(Supplier<T> call) {
            return CompletableFuture.supplyAsync(call, workers);
        }

        @Override
        public CompletableFuture<Registered> register(
                String project, String server, List<Opening> openings) {
            return later(() -> owner.channels.register(project, server, openings));
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the inner future is composed
        public CompletableFuture<Polled> poll(
                String project, String server, long registration, Cancellation within) {
            return later(() -> owner.channels.poll(project, server, registration, within))
                    .thenCompose(polled -> polled);
        }

        @Override
        public CompletableFuture<Void> report(String project, String server, Report report) {
            return later(
                    () -> {
                        owner.channels.report(project, server, report);
                        return null;
                    });
        }
    }

    private ChannelConnection open(String client) {
        ChannelToken token = owner.tokens.verify(owner.token(client)).orElseThrow();
        ChannelConnections.Opened outcome = connections.open(token);
        assertThat(outcome).isInstanceOf(ChannelConnections.Opened.Connected.class);
        ChannelConnection connection = ((ChannelConnections.Opened.Connected) outcome).connection();
        opened.add(connection);
        return connection;
    }

    private static String next(ChannelConnection connection) {
        return switch (connection.next(LONG)) {
            case Event.Message(byte[] text) -> new String(text, StandardCharsets.UTF_8);
            case Event.Idle _ -> "idle";
            case Event.Ended(End reason) -> reason.name();
        };
    }

    private static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void messagesArriveInOrder() {
        ChannelConnection ann = open("ann");
        ChannelConnection bob = open("bob");
        owner.send("ann", OwnerFixture.numbered(90));
        owner.send("bob", "for bob");
        for (int i = 0; i < 90; i++) {
            assertThat(next(ann)).isEqualTo("m" + i);
        }
        assertThat(next(bob)).isEqualTo("for bob");
        assertThat(ann.next(Duration.ZERO)).isEqualTo(new Event.Idle());
        assertThat(bob.next(Duration.ZERO)).isEqualTo(new Event.Idle());
        until(() -> owner.channels.metrics().queued() == 0);
        assertThat(owner.channels.metrics().delivered()).isEqualTo(91);
    }

    @Test
    void theNextConnectionGetsWhatWasNotWritten() {
        ChannelConnection first = open("ann");
        owner.send("ann", "one", "two", "three");
        assertThat(next(first)).isEqualTo("one");
        assertThat(next(first)).isEqualTo("two"); // so "one" is written
        until(() -> owner.channels.metrics().delivered() == 1);
        ChannelConnection second = open("ann");
        assertThat(next(second)).isEqualTo("two");
        assertThat(next(second)).isEqualTo("three");
        first.close(true);
        assertThat(owner.reports).containsExactly("demo ann +");
    }

    @Test
    void theFormerConnectionOfAClientEnds() {
        ChannelConnection first = open("ann");
        open("ann");
        assertThat(next(first)).isEqualTo("REPLACED");
    }

    @Test
    void connectionsOutliveTheirOwner() {
        ChannelConnection ann = open("ann");
        ChannelConnection bob = open("bob");
        owner.send("ann", "before");
        assertThat(next(ann)).isEqualTo("before");
        owner.replaceOwner();
        owner.send("ann", "after");
        owner.send("bob", "after");
        assertThat(next(ann)).isEqualTo("after");
        assertThat(next(bob)).isEqualTo("after");
        ann.close(true);
        until(() -> owner.reports.contains("demo ann -"));
        assertThat(owner.reports).doesNotContain("demo bob -");
    }

    @Test
    void aConnectionEndsWithItsToken() {
        ChannelConnection ann = open("ann");
        owner.time.pass(ChannelLimits.VALIDITY);
        assertThat(next(ann)).isEqualTo("EXPIRED");
        ann.close(false);
        until(() -> owner.reports.contains("demo ann -")); // without waiting for a new connection
    }

    @Test
    void aMessageWithoutRoomIsSentAgain() {
        ChannelConnection ann = open("ann");
        long others = memory.bytesMax() - memory.bytesUsed();
        assertThat(memory.tryReserve(others)).isTrue();
        owner.send("ann", "one", "two");
        until(() -> memory.refusals() > 2);
        memory.release(others);
        owner.send("ann", "three");
        assertThat(next(ann)).isEqualTo("one");
        assertThat(next(ann)).isEqualTo("two");
        assertThat(next(ann)).isEqualTo("three");
    }

    @Test
    void aClientThatReadsNothingHoldsLimitedMemory() {
        ChannelConnection stuck = open("stuck");
        ChannelConnection healthy = open("healthy");
        String large = "x".repeat(ChannelLimits.MESSAGE_BYTES_MAX);
        for (int i = 0; i < 200; i++) {
            owner.send("stuck", large);
            owner.send("healthy", "m" + i);
            assertThat(next(healthy)).isEqualTo("m" + i);
        }
        assertThat(memory.bytesUsed()).isLessThan(4L * ChannelLimits.IN_FLIGHT_BYTES_MAX);
        assertThat(owner.memory.bytesUsed()).isLessThan(2L * ChannelLimits.QUEUED_BYTES_MAX);
        stuck.close(false);
        until(() -> memory.bytesUsed() < ChannelLimits.IN_FLIGHT_BYTES_MAX);
    }

    @Test
    void aServerHasALimitedNumberOfConnections() {
        for (int i = 0; i < 10; i++) {
            open("client" + i);
        }
        ChannelToken token = owner.tokens.verify(owner.token("more")).orElseThrow();
        assertThat(connections.open(token)).isInstanceOf(ChannelConnections.Opened.Refused.class);
        opened.getFirst().close(true);
        open("more");
    }

    @Test
    void aStoppingServerEndsItsConnections() {
        ChannelConnection ann = open("ann");
        connections.close();
        assertThat(next(ann)).isEqualTo("STOPPING");
        ChannelToken token = owner.tokens.verify(owner.token("bob")).orElseThrow();
        assertThat(connections.open(token)).isInstanceOf(ChannelConnections.Opened.Refused.class);
    }

    @Test
    void anUnreachableOwnerRefusesWithAReason() {
        ChannelToken token = owner.tokens.verify(owner.token("ann")).orElseThrow();
        owner.channels.close();
        assertThat(connections.open(token)).isInstanceOf(ChannelConnections.Opened.Refused.class);
    }
}
