package petrichor.jobs.engine.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.GateConsumer;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.JobControl;

/** Joining and leaving a task, one step at a time. */
@Timeout(60)
final class TaskMembershipTest {
    private final BlockPool pool = new BlockPool();

    private InputGate gate(int senders) {
        return new InputGate(senders, null, new JobControl(), pool, true);
    }

    private Block block() {
        Block block = pool.take(1);
        block.records = 1;
        block.end++;
        return block;
    }

    @Test
    void sendersJoinOnlyWhileAnotherStillSends() {
        InputGate gate = gate(1);
        int late = gate.join();
        gate.end(0);
        gate.put(late, block());
        assertThat(gate.next()).isNotNull();
        int later = gate.join();
        gate.end(late);
        gate.end(later);
        assertThat(gate.next()).isNull();
        assertThatThrownBy(gate::join).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void noSubtaskJoinsAfterTheFirstHasSeenTheEnd() {
        InputGate gate = gate(1).shared();
        TaskMembership membership = new TaskMembership(2, gate, true);
        TaskMembership.Participant first = membership.begin();
        TaskMembership.Participant second = membership.begin();
        assertThat(membership.<Integer>join(TaskMembership.Participant::number)).isEqualTo(2);
        assertThat(membership.size()).isEqualTo(3);
        gate.end(0);
        assertThat(first.next()).isNull();
        first.leave();
        // The second may be processing a block, its channels open: it is too late nevertheless,
        // since the first one's are closed.
        assertThat(membership.<Integer>join(TaskMembership.Participant::number)).isNull();
        assertThat(membership.size()).isZero();
        second.leave();
    }

    @Test
    void plannedSubtasksStayAndSendersStopWhenTheLastHasLeft() {
        InputGate gate = gate(1).shared();
        TaskMembership membership = new TaskMembership(1, gate, true);
        TaskMembership.Participant planned = membership.begin();
        TaskMembership.Participant late =
                Objects.requireNonNull(membership.join(participant -> participant));
        membership.dismiss(5);
        assertThat(planned.isSurplus()).isFalse();
        assertThat(late.isSurplus()).isTrue();
        assertThat(late.next()).isNull();
        late.leave();
        assertThat(gate.isCancelled()).isFalse();
        gate.put(0, block());
        assertThat(planned.next()).isNotNull();
        planned.leave();
        assertThat(gate.isCancelled()).isTrue();
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // waits for another thread, which is about to act
    void aLeavingSubtaskPassesOnTheBlockForWhichItWasWoken() throws Exception {
        InputGate gate = gate(1).shared();
        GateConsumer leaving = new GateConsumer();
        GateConsumer staying = new GateConsumer();
        CompletableFuture<@Nullable Block> first = waiting(gate, leaving);
        CompletableFuture<@Nullable Block> second = waiting(gate, staying);
        leaving.leave();
        // The one that has waited longest is woken.
        gate.put(0, block());
        assertThat(first.get(30, TimeUnit.SECONDS)).isNull();
        assertThat(second.get(30, TimeUnit.SECONDS)).isNotNull();
    }

    /** Waits for a block on a new thread, and returns when that thread is blocked. */
    @SuppressWarnings("ThreadPriorityCheck") // waits for another thread, which is about to act
    private static CompletableFuture<@Nullable Block> waiting(InputGate gate, GateConsumer taker) {
        CompletableFuture<@Nullable Block> taken = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> taken.complete(gate.next(taker)));
        while (thread.getState() != Thread.State.WAITING) {
            Thread.yield();
        }
        return taken;
    }

    @Test
    void blocksOfASharedInputAreSizedByTheirCost() {
        InputGate gate = gate(1).shared();
        GateConsumer taker = new GateConsumer();
        int first = gate.sender(0).blockBytes();
        assertThat(first).isLessThan(Block.FRAME_BYTES_MAX);
        for (int i = 0; i < 20; i++) {
            Block block = pool.take(1);
            block.records = 1;
            block.end = block.capacity;
            gate.put(0, block);
            assertThat(gate.next(taker)).isSameAs(block);
        }
        // No processing time was measured: the records cost nothing.
        assertThat(gate.sender(0).blockBytes()).isGreaterThan(first);
    }
}
