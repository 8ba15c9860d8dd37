package petrichor.services.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.channels.OwnerFixture.APP;
import static petrichor.services.channels.OwnerFixture.numbered;
import static petrichor.services.channels.OwnerFixture.texts;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.services.channels.ChannelOwner.Delivery;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Receipt;
import petrichor.services.channels.ChannelOwner.Registered;

/** The owner's side: queues, connections, presence, limits. */
final class ChannelsTest {
    private static final long HELD_BYTES_MAX = 8 << 20;

    private final OwnerFixture owner = new OwnerFixture(HELD_BYTES_MAX, 100);

    @AfterEach
    void closesAndReturnsAllMemory() {
        owner.close();
        assertThat(owner.memory.bytesUsed()).isZero();
        assertThat(owner.process.bytesUsed()).isZero();
    }

    // ---- messages

    @Test
    void aMessageReachesAWaitingServer() {
        Registered ann = owner.register("c1", "ann");
        CompletableFuture<Polled> poll = owner.poll(ann);
        assertThat(poll).isNotDone();
        owner.send("ann", "hello");
        assertThat(texts(poll.join())).containsExactly("hello");
        assertThat(poll.join().deliveries().getFirst().connection()).isEqualTo("c1");
    }

    @Test
    void messagesWaitForTheConnectionInOrder() {
        owner.token("ann");
        owner.send("ann", "one", "two", "three");
        Registered ann = owner.register("c1", "ann");
        assertThat(texts(owner.poll(ann).join())).containsExactly("one", "two", "three");
        assertThat(owner.poll(ann)).isNotDone();
    }

    @Test
    void aMessageForAnUnknownClientWaitsAMinute() {
        owner.send("ann", "early");
        owner.pass(Duration.ofSeconds(59));
        Registered ann = owner.register("c1", "ann");
        assertThat(texts(owner.poll(ann).join())).containsExactly("early");
        owner.send("bob", "lost");
        owner.pass(Duration.ofSeconds(61));
        owner.register("c2", "bob");
        assertThat(owner.poll(ann)).isNotDone();
        assertThat(owner.channels.metrics().discarded()).isEqualTo(1);
    }

    @Test
    void whatWasNotWrittenIsSentToTheNextConnection() {
        Registered ann = owner.register("c1", "ann");
        owner.send("ann", "one", "two", "three");
        Delivery first = owner.poll(ann).join().deliveries().getFirst();
        owner.written(ann, "c1", first.sequence());
        owner.register("c2", "ann");
        Polled again = owner.poll(ann).join();
        assertThat(again.replaced()).containsExactly("c1");
        assertThat(texts(again)).containsExactly("two", "three");
        assertThat(again.deliveries().getFirst().restarted()).isTrue();
        assertThat(again.deliveries().getLast().restarted()).isFalse();
    }

    @Test
    void aLateReceiptConfirmsNothingThatIsSentAgain() {
        Registered ann = owner.register("c1", "ann");
        owner.send("ann", "one", "two");
        Polled sent = owner.poll(ann).join();
        owner.receipt(ann, new Receipt("c1", 0, 0));
        owner.written(ann, "c1", sent.deliveries().getLast().sequence());
        assertThat(texts(owner.poll(ann).join())).containsExactly("one", "two");
        assertThat(owner.channels.metrics().delivered()).isZero();
    }

    @Test
    void aServerGetsNoMoreThanTheClientCanTake() {
        Registered ann = owner.register("c1", "ann");
        String large = "x".repeat(ChannelLimits.MESSAGE_BYTES_MAX);
        owner.send("ann", large, large, large);
        Polled first = owner.poll(ann).join();
        assertThat(first.deliveries()).hasSize(2);
        CompletableFuture<Polled> next = owner.poll(ann);
        assertThat(next).isNotDone();
        owner.written(ann, "c1", first.deliveries().getFirst().sequence());
        assertThat(next.join().deliveries()).hasSize(1);
    }

    @Test
    void theOldestMessagesOfAFullQueueAreDiscarded() {
        Registered ann = owner.register("c1", "ann");
        owner.send("ann", numbered(ChannelLimits.QUEUED_MAX + 5));
        assertThat(owner.channels.metrics().queued()).isEqualTo(ChannelLimits.QUEUED_MAX);
        assertThat(texts(owner.poll(ann).join())).startsWith("m5");
        // Those on their way are kept.
        owner.send("ann", numbered(2 * ChannelLimits.QUEUED_MAX));
        assertThat(owner.channels.metrics().queued()).isEqualTo(ChannelLimits.QUEUED_MAX);
    }

    @Test
    void onePollCarriesTheMessagesOfManyClientsWithinItsSize() {
        Registered last = owner.register("c0", "client0");
        String large = "x".repeat(ChannelLimits.MESSAGE_BYTES_MAX);
        for (int i = 0; i < 20; i++) {
            last = owner.register("c" + i, "client" + i);
            owner.send("client" + i, large);
        }
        int received = 0;
        while (received < 20) {
            Polled polled = owner.poll(last).join();
            assertThat(polled.deliveries().size() * ChannelLimits.MESSAGE_BYTES_MAX)
                    .isLessThanOrEqualTo(ChannelLimits.POLL_BYTES_MAX);
            received += polled.deliveries().size();
        }
    }

    // ---- servers

    @Test
    void aPollIsAnsweredAfterAWhile() {
        Registered ann = owner.register("c1", "ann");
        CompletableFuture<Polled> poll = owner.poll(ann);
        owner.pass(ChannelLimits.POLL.minusSeconds(1));
        assertThat(poll).isNotDone();
        owner.pass(Duration.ofSeconds(1));
        assertThat(poll.join()).isEqualTo(Polled.NOTHING);
    }

    @Test
    void aNewPollEndsTheFormer() {
        Registered ann = owner.register("c1", "ann");
        CompletableFuture<Polled> former = owner.poll(ann);
        CompletableFuture<Polled> latter = owner.poll(ann);
        assertThat(former.join().deliveries()).isEmpty();
        owner.send("ann", "hello");
        assertThat(texts(latter.join())).containsExactly("hello");
    }

    @Test
    void aNewOwnerAsksForAllConnectionsAndKeepsTheNewest() {
        Registered former = owner.register("c1", "ann");
        CompletableFuture<Polled> waiting = owner.poll(former);
        owner.replaceOwner();
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(NotOwner.class);
        assertThat(owner.poll(former).join().registered()).isFalse();
        owner.register("c2", "ann");
        assertThat(owner.register(OwnerFixture.SERVER, "c1", "ann", false).refused())
                .containsExactly(new ChannelOwner.Refusal("c1", End.REPLACED));
    }

    @Test
    void aReplacedConnectionAtAnotherServerEnds() {
        Registered one = owner.register("server-1", "c1", "ann", true);
        CompletableFuture<Polled> poll = owner.poll("server-1", one);
        Registered two = owner.register("server-2", "c2", "ann", true);
        assertThat(poll.join().replaced()).containsExactly("c1");
        CompletableFuture<Polled> other = owner.poll("server-2", two);
        owner.send("ann", "hello");
        assertThat(texts(other.join())).containsExactly("hello");
    }

    // ---- presence

    @Test
    void appsLearnWhoIsConnected() {
        Registered ann = owner.register("c1", "ann");
        owner.closed(ann, "c1", true);
        assertThat(owner.reports).containsExactly("demo ann +", "demo ann -");
    }

    @Test
    void aBrokenConnectionMayComeBack() {
        Registered ann = owner.register("c1", "ann");
        owner.closed(ann, "c1", false);
        owner.pass(ChannelLimits.RECONNECT.minusSeconds(1));
        owner.register("c2", "ann");
        owner.pass(ChannelLimits.RECONNECT.minusSeconds(1));
        assertThat(owner.reports).containsExactly("demo ann +");
        owner.closed(ann, "c2", false);
        owner.pass(ChannelLimits.RECONNECT);
        assertThat(owner.reports).containsExactly("demo ann +", "demo ann -");
    }

    @Test
    void aSecondPageOfAClientIsNotReported() {
        Registered ann = owner.register("c1", "ann");
        owner.register("c2", "ann");
        owner.closed(ann, "c1", true);
        assertThat(owner.reports).containsExactly("demo ann +");
    }

    @Test
    void clientsOfAFailedServerHaveLeft() {
        Registered ann = owner.register("c1", "ann");
        CompletableFuture<Polled> poll = owner.poll(ann);
        owner.pass(ChannelLimits.POLL);
        assertThat(poll).isDone();
        owner.pass(ChannelLimits.SERVER_SILENT.minusSeconds(1));
        assertThat(owner.reports).containsExactly("demo ann +");
        owner.pass(Duration.ofSeconds(1));
        assertThat(owner.reports).containsExactly("demo ann +", "demo ann -");
        assertThat(owner.poll(ann).join().registered()).isFalse();
    }

    @Test
    void aNewOwnerDoesNotReportWhatTheFormerDid() {
        owner.register("c1", "ann");
        owner.replaceOwner();
        Registered again = owner.register(OwnerFixture.SERVER, "c1", "ann", false);
        assertThat(owner.reports).containsExactly("demo ann +");
        owner.closed(again, "c1", true);
        assertThat(owner.reports).containsExactly("demo ann +", "demo ann -");
    }

    // ---- limits

    @Test
    void expiredChannelsAreRemoved() {
        owner.channels.create(APP, "ann", Optional.of(Duration.ofMinutes(1)));
        owner.send("ann", "never read");
        assertThat(owner.memory.bytesUsed()).isPositive();
        owner.pass(Duration.ofSeconds(59));
        assertThat(owner.channels.metrics().channels()).isEqualTo(1);
        owner.pass(Duration.ofSeconds(1));
        assertThat(owner.channels.metrics().channels()).isZero();
        assertThat(owner.memory.bytesUsed()).isZero();
    }

    @Test
    void anAppHasALimitedNumberOfChannels() {
        for (int i = 0; i < 100; i++) {
            owner.token("client" + i);
        }
        assertThatThrownBy(() -> owner.token("one too many"))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        full -> {
                            assertThat(full.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                            assertThat(full).hasMessageContaining("channels.per-app");
                        });
        owner.token("client7"); // exists
        assertThat(owner.register("c1", "another").refused())
                .containsExactly(new ChannelOwner.Refusal("c1", End.FULL));
        owner.channels.create("other", "client", Optional.empty());
    }

    @Test
    void anAppUsesHalfOfTheMemoryAtMost() {
        String large = "x".repeat(ChannelLimits.MESSAGE_BYTES_MAX);
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 1_000; i++) {
                                owner.send("client" + i % 50, large);
                            }
                        })
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        full -> assertThat(full.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        assertThat(owner.memory.bytesUsed())
                .isBetween(HELD_BYTES_MAX / 2 - large.length() * 2L, HELD_BYTES_MAX / 2);
        owner.channels.send("other", "client", new byte[ChannelLimits.MESSAGE_BYTES_MAX]);
    }

    @Test
    void requestsAreChecked() {
        refused(ChannelProblem.Reason.INVALID_CLIENT_ID, () -> owner.token(""));
        refused(ChannelProblem.Reason.INVALID_CLIENT_ID, () -> owner.token("é".repeat(129)));
        owner.token("é".repeat(128));
        refused(
                ChannelProblem.Reason.INVALID_DURATION,
                () -> owner.channels.create(APP, "ann", Optional.of(Duration.ZERO)));
        refused(
                ChannelProblem.Reason.INVALID_DURATION,
                () ->
                        owner.channels.create(
                                APP,
                                "ann",
                                Optional.of(ChannelLimits.VALIDITY_MAX.plusMinutes(1))));
        owner.channels.create(APP, "ann", Optional.of(ChannelLimits.VALIDITY_MAX));
        refused(
                ChannelProblem.Reason.BAD_MESSAGE,
                () ->
                        owner.channels.send(
                                APP, "ann", new byte[ChannelLimits.MESSAGE_BYTES_MAX + 1]));
        owner.channels.send(APP, "ann", new byte[ChannelLimits.MESSAGE_BYTES_MAX]);
    }

    private static void refused(ChannelProblem.Reason reason, Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        ChannelProblem.class,
                        problem -> assertThat(problem.reason()).isEqualTo(reason));
    }
}
