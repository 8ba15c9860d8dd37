package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/** The end of the senders and of the receiver of a gate: completion, cancellation, and failures. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InputGateEndTest {
    private final BlockPool pool = new BlockPool();
    private final JobControl control = new JobControl();

    @Test
    void enoughReachesEverySenderAndDropsQueuedBlocks() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(2, null, control, pair.right.pool(), false);
            pair.right.receive(1, gate, 1);
            var local = threads.submit(() -> TestBlocks.writeUntilEnough(gate.sender(0), pool));
            var remote =
                    threads.submit(
                            () ->
                                    TestBlocks.writeUntilEnough(
                                            pair.left.writer(1, pair.right.address()),
                                            pair.left.pool()));
            assertThat(gate.next()).isNotNull();
            gate.cancelUpstream();
            assertThat(local.get(60, TimeUnit.SECONDS)).isPositive();
            assertThat(remote.get(60, TimeUnit.SECONDS)).isPositive();
            assertThat(gate.next()).isNull();
        }
    }

    @Test
    void enoughAlsoReachesSendersThatJoinLater() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(2, null, control, pair.right.pool(), false);
            gate.cancelUpstream();
            var earlier =
                    threads.submit(
                            () ->
                                    TestBlocks.writeUntilEnough(
                                            pair.left.writer(1, pair.right.address()),
                                            pair.left.pool()));
            while (pair.right.pending().count() == 0) {
                Thread.onSpinWait();
            }
            pair.right.receive(1, gate, 0);
            pair.right.receive(2, gate, 1);
            var later =
                    threads.submit(
                            () ->
                                    TestBlocks.writeUntilEnough(
                                            pair.left.writer(2, pair.right.address()),
                                            pair.left.pool()));
            earlier.get(60, TimeUnit.SECONDS);
            later.get(60, TimeUnit.SECONDS);
            assertThat(pair.right.pool().lent()).isZero();
        }
    }

    @Test
    void aStoppedJobWakesWaitersAtItsGates() throws Exception {
        InputGate gate = gate(2);
        CompletableFuture<@Nullable Throwable> receiver = failing(() -> gate.next(0));
        CompletableFuture<@Nullable Throwable> sender =
                failing(() -> gate.put(1, TestBlocks.fill(pool.take(), 1, 0)));
        control.stop(new PetrichorException(ErrorCode.ABORTED, "cancelled"));
        assertThat(receiver.get(60, TimeUnit.SECONDS)).isInstanceOf(JobControl.Stopped.class);
        assertThat(sender.get(60, TimeUnit.SECONDS)).isInstanceOf(JobControl.Stopped.class);
    }

    /** Repeats the work until it fails; returns when it blocks. */
    private static CompletableFuture<@Nullable Throwable> failing(Runnable work) {
        CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        while (true) {
                                            work.run();
                                        }
                                    } catch (Throwable e) {
                                        end.complete(e);
                                    }
                                });
        TestBlocks.awaitWaiting(thread);
        return end;
    }

    @Test
    void reportsBeforeTheGateIsAttachedReachTheGate() {
        RemoteChannel ended = new RemoteChannel("1", ChannelPair.PATIENT, TimeSource.SYSTEM);
        ended.ended();
        InputGate gate = gate(1);
        ended.attach(gate, 0);
        assertThat(gate.next()).isNull();
        RemoteChannel failed = new RemoteChannel("2", ChannelPair.PATIENT, TimeSource.SYSTEM);
        failed.failed(ErrorCode.ABORTED, "the sender failed");
        failed.attach(gate(1), 0);
        assertThat(control.reason()).hasMessageContaining("the sender failed");
    }

    /** Its connection may be closed while other senders of the gate still send. */
    @Test
    void anEndedSenderCannotFail() {
        RemoteChannel channel = new RemoteChannel("1", ChannelPair.PATIENT, TimeSource.SYSTEM);
        InputGate gate = gate(1);
        channel.attach(gate, 0);
        channel.ended();
        channel.failed(ErrorCode.UNAVAILABLE, "the connection was lost");
        assertThat(gate.next()).isNull();
        assertThat(control.stopped()).isFalse();
    }

    /** A receiver that wants no more is not affected by failures of its senders. */
    @Test
    void aSenderWhoseReceiverHasEnoughCannotFailTheJob() {
        RemoteChannel channel = new RemoteChannel("1", ChannelPair.PATIENT, TimeSource.SYSTEM);
        InputGate gate = gate(1);
        channel.attach(gate, 0);
        gate.cancelUpstream();
        channel.failed(ErrorCode.UNAVAILABLE, "the connection was lost");
        assertThat(control.stopped()).isFalse();
    }

    @Test
    void aLostSenderStopsTheJobAndBecomesItsReason() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange here = ChannelPair.exchange(token, ChannelPair.PATIENT)) {
            InputGate gate = new InputGate(1, null, control, here.pool(), false);
            here.receive(1, gate, 0);
            try (Exchange there = ChannelPair.exchange(token, ChannelPair.PATIENT)) {
                there.writer(1, here.address()).write(TestBlocks.fill(there.pool().take(), 1, 0));
            }
            assertThatThrownBy(
                            () -> {
                                while (gate.next() != null) {}
                            })
                    .isInstanceOf(JobControl.Stopped.class);
            assertThat(control.reason())
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }

    @Test
    void theEndReachesAllWaitingConsumers() throws Exception {
        InputGate ending = gate(1).shared();
        CompletableFuture<@Nullable Block> first = waiting(ending);
        CompletableFuture<@Nullable Block> second = waiting(ending);
        ending.end(0);
        assertThat(first.get(60, TimeUnit.SECONDS)).isNull();
        assertThat(second.get(60, TimeUnit.SECONDS)).isNull();
        InputGate closing = gate(1);
        CompletableFuture<@Nullable Block> third = waiting(closing);
        closing.close();
        assertThat(third.get(60, TimeUnit.SECONDS)).isNull();
    }

    private static CompletableFuture<@Nullable Block> waiting(InputGate gate) {
        CompletableFuture<@Nullable Block> taken = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> taken.complete(gate.next(new GateConsumer())));
        TestBlocks.awaitWaiting(thread);
        return taken;
    }

    @Test
    void endingASenderTwiceDoesNotEndAnotherOne() {
        InputGate gate = gate(2);
        gate.end(0);
        gate.end(0);
        gate.put(1, TestBlocks.fill(pool.take(), 1, 0));
        gate.end(1);
        assertThat(gate.next()).isNotNull();
        assertThat(gate.next()).isNull();
    }

    @Test
    void aLocalSenderThatClosesBeforeItsEndFailsTheReceiver() {
        InputGate gate = gate(1);
        try (BlockWriter sender = gate.sender(0)) {
            sender.write(TestBlocks.fill(pool.take(), 1, 0));
        }
        assertThatThrownBy(gate::next).isInstanceOf(JobControl.Stopped.class);
        assertThat(control.reason()).hasMessageContaining("closed before the end");
    }

    private InputGate gate(int senders) {
        return new InputGate(senders, null, control, pool, false);
    }
}
