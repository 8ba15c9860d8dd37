package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.Block;
import petrichor.jobs.engine.memory.BlockPacker;
import petrichor.jobs.engine.memory.BlockSource;
import petrichor.jobs.engine.memory.HybridHashJoin;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordView;

/** Hash join: builds a table from one side and probes it with the other. */
final class HashJoinDriver implements Driver {
    private final TaskContext task;
    private final Operation.HashJoin operation;
    private final JoinCode code;

    HashJoinDriver(TaskContext task, Operation.HashJoin operation) {
        this.task = task;
        this.operation = operation;
        this.code = UserCodeCopy.of(operation.code(), task.vertex().name());
    }

    @Override
    public void run(ChainedOperator next) {
        boolean buildFirst = operation.build() == Side.FIRST;
        int build = buildFirst ? 0 : 1;
        int probe = 1 - build;
        Key buildKey = buildFirst ? operation.first() : operation.second();
        Key probeKey = buildFirst ? operation.second() : operation.first();
        try (HybridHashJoin join =
                new HybridHashJoin(
                        buildKey,
                        task.inputType(build),
                        probeKey,
                        task.inputType(probe),
                        task.share(),
                        task.space(),
                        0)) {
            build(join, build, next);
            join.built();
            ChainCollector out = new ChainCollector(operation.result(), next);
            HybridHashJoin.Pairs pairs = pairs(out, buildFirst);
            try (TaskInputStream records = task.open(probe, next)) {
                for (RecordView r = records.next(); r != null; r = records.next()) {
                    join.probe(r, pairs);
                }
            }
            join.finish(pairs);
            out.finish(code, task.vertex().name());
        } finally {
            code.close();
        }
    }

    private void build(HybridHashJoin join, int input, ChainedOperator next) {
        if (task.unordered(input)) {
            BlockSource blocks = task.blocks(input);
            for (Block b = blocks.next(); b != null; b = blocks.next()) {
                join.build(b);
            }
            return;
        }
        BlockPacker packer = new BlockPacker(task.space().pool(), join::build);
        try (TaskInputStream records = task.open(input, next)) {
            for (RecordView r = records.next(); r != null; r = records.next()) {
                packer.add(r);
            }
        }
        packer.flush();
    }

    private HybridHashJoin.Pairs pairs(ChainCollector out, boolean buildFirst) {
        if (buildFirst) {
            return (build, probe) -> {
                try {
                    code.join(build, probe, out);
                } catch (Throwable e) {
                    throw UserCodeFailure.of(task.vertex().name(), e);
                }
            };
        }
        return (build, probe) -> {
            try {
                code.join(probe, build, out);
            } catch (Throwable e) {
                throw UserCodeFailure.of(task.vertex().name(), e);
            }
        };
    }

    @Override
    public String position() {
        return task.position();
    }
}
