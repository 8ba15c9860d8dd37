package petrichor.jobs.channels;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Writes to a gate in this process: hands over the ownership of blocks, without copying. */
final class LocalWriter implements BlockWriter {
    private final InputGate gate;
    private final int slot;
    private final ChannelCounters counters = new ChannelCounters();
    private boolean over;

    LocalWriter(InputGate gate, int slot) {
        this.gate = gate;
        this.slot = slot;
    }

    @Override
    public void write(Block block) {
        long waited = gate.put(slot, block);
        if (waited != 0) {
            counters.waited(waited);
        }
    }

    @Override
    public int blockBytes() {
        return gate.blockBytes();
    }

    @Override
    public boolean isCancelled() {
        return gate.isCancelled();
    }

    @Override
    public void end() {
        over = true;
        gate.end(slot);
    }

    @Override
    public void fail(String reason) {
        over = true;
        gate.failed(
                PetrichorException.of(
                        ErrorCode.ABORTED,
                        "a channel of the task failed: {reason}",
                        "reason",
                        reason));
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public ChannelCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        if (!over) {
            fail("its writer closed before the end");
        }
    }
}
