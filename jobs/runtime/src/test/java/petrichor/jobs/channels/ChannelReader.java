package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Reads a single network channel, through a gate and a control of its own. */
final class ChannelReader implements AutoCloseable {
    private final JobControl control = new JobControl();
    private final InputGate gate;

    ChannelReader(Exchange exchange, long channel) {
        this.gate = new InputGate(1, null, control, exchange.pool(), false);
        exchange.receive(channel, gate, 0);
    }

    /** Fails with the reason for which the gate's job was stopped. */
    @Nullable Block next() {
        try {
            return gate.next();
        } catch (JobControl.Stopped stopped) {
            throw control.reason() instanceof PetrichorException known ? known : stopped;
        }
    }

    void cancelUpstream() {
        gate.cancelUpstream();
    }

    @Override
    public void close() {
        control.stop(new PetrichorException(ErrorCode.ABORTED, "closed by the test"));
        gate.close();
    }
}
