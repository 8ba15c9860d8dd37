package petrichor.jobs.engine.exchange;

import petrichor.jobs.channels.BlockReader;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.JobControl;
import petrichor.jobs.records.Words;

/** Carries what arrives over a network or file channel to a gate, on a thread of its own. */
public final class ChannelInlet implements Runnable {
    private final BlockReader reader;
    private final InputGate gate;
    private final int slot;
    private final BlockPool pool;
    private final JobControl control;

    public ChannelInlet(
            BlockReader reader, InputGate gate, int slot, BlockPool pool, JobControl control) {
        this.reader = reader;
        this.gate = gate;
        this.slot = slot;
        this.pool = pool;
        this.control = control;
    }

    @Override
    public void run() {
        try (reader) {
            Block whole = null;
            int missing = 0;
            for (var part = reader.next(); part != null; part = reader.next()) {
                if (whole == null) {
                    missing = Words.int32(part.bytes(), 4);
                    whole = pool.take(missing);
                    whole.records = Words.int32(part.bytes(), 0);
                }
                int some = part.length() - ChannelReceiver.HEAD_BYTES;
                System.arraycopy(
                        part.bytes(), ChannelReceiver.HEAD_BYTES, whole.array, whole.end, some);
                part.release();
                whole.end += some;
                missing -= some;
                if (missing == 0) {
                    gate.put(slot, whole);
                    whole = null;
                }
                if (gate.hasEnough()) {
                    break;
                }
            }
            gate.end(slot);
        } catch (JobControl.Stopped stopped) {
            // The reason is known where it happened.
        } catch (Throwable e) {
            control.stop(e);
        }
    }
}
