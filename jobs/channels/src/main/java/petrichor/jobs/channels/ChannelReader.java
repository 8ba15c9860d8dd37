package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Reads a single network channel: a gate with nothing else, and a control of its own. */
public final class ChannelReader implements BlockReader {
    private final RemoteChannel channel;
    private final JobControl control = new JobControl();
    private final InputGate gate;

    ChannelReader(RemoteChannel channel, BlockPool pool) {
        this.channel = channel;
        this.gate = new InputGate(1, null, control, pool, false);
        channel.attach(gate, 0);
    }

    @Override
    public @Nullable Block next() {
        try {
            return gate.hasEnough() ? null : gate.next();
        } catch (JobControl.Stopped stopped) {
            throw control.reason() instanceof PetrichorException known ? known : stopped;
        }
    }

    @Override
    public void enough() {
        gate.enough();
    }

    /** What came through so far. */
    public ChannelCounters counters() {
        return channel.counters();
    }

    @Override
    public void close() {
        control.stop(
                new PetrichorException(
                        ErrorCode.ABORTED, channel.name() + " was closed by its reader"));
        gate.close();
    }
}
