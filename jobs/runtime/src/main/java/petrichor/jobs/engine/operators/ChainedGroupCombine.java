package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.engine.memory.BlockPacker;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.SortBuffer;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.ReduceCode;

/**
 * Combiner: sorts as many records as fit into memory and applies the user's combine function to
 * each group.
 */
final class ChainedGroupCombine implements ChainedOperator {
    private final Step.CombineGroups step;
    private final ReduceCode code;
    private final RecordType type;
    private final SortBuffer buffer;
    private final ChainCollector out;
    private final BlockPacker packer;

    ChainedGroupCombine(
            Step.CombineGroups step,
            RecordType type,
            MemoryShare memory,
            BlockPool pool,
            ChainedOperator next) {
        this.step = step;
        this.code = UserCodeCopy.of(step.code(), step.name());
        this.type = type;
        this.buffer = new SortBuffer(step.order(), type, memory, pool);
        this.packer = new BlockPacker(pool, this::collect);
        this.out = new ChainCollector(type, next);
    }

    @Override
    public void accept(RecordView record) {
        packer.add(record);
    }

    private void collect(Block block) {
        if (!buffer.add(block)) {
            combine();
            buffer.add(block);
        }
    }

    private void combine() {
        if (buffer.isEmpty()) {
            return;
        }
        try (RecordStream sorted = buffer.sorted()) {
            GroupStream groups = new GroupStream(sorted, step.key(), type);
            while (groups.advance()) {
                try {
                    code.reduce(groups, out);
                } catch (Throwable e) {
                    throw UserCodeFailure.of(step.name(), e);
                }
            }
        }
    }

    @Override
    public boolean isDone() {
        return out.next().isDone();
    }

    @Override
    public void finish() {
        packer.flush();
        combine();
        out.finish(code, step.name());
        out.next().finish();
    }

    @Override
    public void close() {
        try {
            code.close();
            buffer.clear();
        } finally {
            out.next().close();
        }
    }
}
