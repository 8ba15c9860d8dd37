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
 * Passes the data of a Flink input gate to an input of the subtask, on a thread of its own, to the
 * very end: a gate that is not drained would block its senders, even if the subtask wants no more
 * of their data.
 */
final class GateReader implements Runnable {
    private final InputGate gate;
    private final HostedInput input;
    private final HostedSubtask subtask;
    private volatile long idleNanos;
    private volatile long waitsSinceNanos;

    // Only the reporting thread uses these.
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
            // Has no effect if the subtask was stopped before: then that is why this failed.
            subtask.stop(e);
        }
    }

    /** Opens the gate like Flink's own batch tasks. */
    static void open(InputGate gate) throws IOException, InterruptedException {
        gate.finishReadRecoveredState();
        while (!gate.getStateConsumedFuture().isDone()) {
            gate.pollNext();
        }
        gate.setChannelStateWriter(ChannelStateWriter.NO_OP);
        gate.requestPartitions();
    }

    // Single writer: adding to a volatile loses no update.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private Optional<BufferOrEvent> next() throws IOException, InterruptedException {
        long started = System.nanoTime();
        waitsSinceNanos = started;
        Optional<BufferOrEvent> next = gate.getNext();
        waitsSinceNanos = 0;
        idleNanos += System.nanoTime() - started;
        return next;
    }

    /**
     * Fraction of the time since the last call that was spent on received data, 0 to 1. Called by
     * the one reporting thread.
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
