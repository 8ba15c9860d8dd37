package petrichor.jobs.flink;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import petrichor.jobs.engine.hosted.HostedInput;
import petrichor.jobs.engine.hosted.HostedSubtask;

/**
 * Carries what arrives at a gate of Flink's to an input of the subtask, on a thread of its own, to
 * the very end: a gate that is not emptied would hold up its senders, whether or not the subtask
 * still wants what they send.
 */
final class GateReader implements Runnable {
    private final InputGate gate;
    private final HostedInput input;
    private final HostedSubtask subtask;
    private volatile long idleNanos;
    private volatile long waitsSinceNanos;

    // Only the thread that reports uses these.
    private long askedNanos = System.nanoTime();
    private long askedIdleNanos;

    GateReader(InputGate gate, HostedInput input, HostedSubtask subtask) {
        this.gate = gate;
        this.input = input;
        this.subtask = subtask;
    }

    @Override
    public void run() {
        try {
            open(gate);
            for (Optional<BufferOrEvent> next = next(); next.isPresent(); next = next()) {
                take(next.get());
            }
        } catch (Throwable e) {
            // Nothing happens if it has been stopped before: then that is why this failed.
            subtask.stop(e);
        }
    }

    /** As Flink's own readers of batch tasks begin. */
    static void open(InputGate gate) throws IOException, InterruptedException {
        gate.finishReadRecoveredState();
        while (!gate.getStateConsumedFuture().isDone()) {
            gate.pollNext();
        }
        gate.setChannelStateWriter(ChannelStateWriter.NO_OP);
        gate.requestPartitions();
    }

    // One writer: adding to a volatile loses nothing.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private Optional<BufferOrEvent> next() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        waitsSinceNanos = begun;
        Optional<BufferOrEvent> next = gate.getNext();
        waitsSinceNanos = 0;
        idleNanos += System.nanoTime() - begun;
        return next;
    }

    /**
     * Which part of the time since the last call went to what had arrived, 0 to 1. Called by the
     * one thread that reports.
     */
    double busyPart() {
        long now = System.nanoTime();
        long since = waitsSinceNanos;
        long idle = idleNanos + (since == 0 ? 0 : now - since);
        long time = now - askedNanos;
        double part = time <= 0 ? 0 : 1 - (double) (idle - askedIdleNanos) / time;
        askedNanos = now;
        askedIdleNanos = idle;
        return Math.clamp(part, 0, 1);
    }

    private void take(BufferOrEvent next) {
        int channel = next.getChannelInfo().getInputChannelIdx();
        if (next.isBuffer()) {
            Buffer buffer = next.getBuffer();
            try {
                input.take(channel, buffer.getNioBufferReadable());
            } finally {
                buffer.recycleBuffer();
            }
        } else if (next.getEvent() instanceof EndOfPartitionEvent) {
            input.end(channel);
        }
    }
}
