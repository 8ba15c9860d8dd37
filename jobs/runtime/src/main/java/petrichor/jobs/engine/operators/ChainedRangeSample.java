package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.exchange.RangeCuts;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.exchange.RecordWriter;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.ReplayBuffer;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.records.RecordView;

/**
 * Range-partitions by splitters that are sampled at run time. Until all senders have contributed a
 * sample, records are buffered (and spilled, since a sender must never wait for another one while
 * it blocks its own senders); then they are sent in their original order. A source's task samples
 * before it reads, and buffers nothing.
 */
public final class ChainedRangeSample implements ChainedOperator {
    /** Amount of data seen before the sample is contributed. */
    private static final long SAMPLED_BYTES = 4L << 20;

    private final RangeSample shared;
    private final RecordWriter[] receivers;
    private final ReplayBuffer kept;
    private final Workspace space;
    private final Reservoir reservoir;
    private @Nullable RangeCuts cuts;
    private boolean contributed;
    private long keptBytes;
    private int untilLook = Workspace.RECORDS_BETWEEN_CHECKS;

    public ChainedRangeSample(
            RangeSample shared,
            int recordsMax,
            int subtask,
            RecordWriter[] receivers,
            MemoryShare memory,
            Workspace space) {
        this.shared = shared;
        this.receivers = receivers;
        this.kept = new ReplayBuffer(shared.type(), memory, space);
        this.space = space;
        this.reservoir = new Reservoir(recordsMax, subtask);
    }

    /** A stage that only samples, as the end of the chain in a source's trial run. */
    public ChainedOperator sampler() {
        return new ChainedOperator() {
            @Override
            public void accept(RecordView record) {
                reservoir.offer(record);
            }

            @Override
            public boolean isDone() {
                return false;
            }

            @Override
            public void finish() {}

            @Override
            public void close() {}
        };
    }

    /** The sample was taken in a trial: contributes it, and waits for the other senders. */
    void sampled() {
        contribute();
        shared.await(space.control());
        cuts = shared.cuts();
    }

    @Override
    public void accept(RecordView record) {
        RangeCuts known = cuts;
        if (known != null) {
            receivers[known.range(record)].write(record);
            return;
        }
        reservoir.offer(record);
        kept.add(record);
        keptBytes += record.bytes();
        if (!contributed && keptBytes >= SAMPLED_BYTES) {
            contribute();
        }
        if (contributed && untilLook-- == 0) {
            untilLook = Workspace.RECORDS_BETWEEN_CHECKS;
            if (shared.complete()) {
                shipKept();
            }
        }
    }

    private void contribute() {
        contributed = true;
        shared.contribute(reservoir.sample());
    }

    private void shipKept() {
        RangeCuts known = shared.cuts();
        cuts = known;
        try (RecordStream records = kept.replay()) {
            for (RecordView r = records.next(); r != null; r = records.next()) {
                receivers[known.range(r)].write(r);
            }
        }
        kept.clear();
    }

    @Override
    public boolean isDone() {
        for (RecordWriter receiver : receivers) {
            if (!receiver.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void finish() {
        if (cuts == null) {
            if (!contributed) {
                contribute();
            }
            shared.await(space.control());
            shipKept();
        }
        RecordWriter.endAll(receivers);
    }

    @Override
    public void close() {
        kept.close();
    }
}
