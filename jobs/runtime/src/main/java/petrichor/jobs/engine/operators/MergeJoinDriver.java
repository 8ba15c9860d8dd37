package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.ReplayBuffer;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordView;

/**
 * Sort-merge join of two sorted inputs. The second input's records of a key are buffered, spilled
 * if necessary, and replayed for every record of the first.
 */
final class MergeJoinDriver implements Driver {
    private final TaskContext task;
    private final Operation.MergeJoin operation;
    private final JoinCode code;

    MergeJoinDriver(TaskContext task, Operation.MergeJoin operation) {
        this.task = task;
        this.operation = operation;
        this.code = UserCodeCopy.of(operation.code(), task.vertex().name());
    }

    @Override
    public void run(ChainedOperator next) {
        ChainCollector out = new ChainCollector(operation.result(), next);
        try (TaskInputStream lefts = task.open(0, next);
                TaskInputStream rights = task.open(1, next);
                ReplayBuffer same =
                        new ReplayBuffer(task.inputType(1), task.share(), task.space())) {
            GroupStream left = new GroupStream(lefts, operation.first(), task.inputType(0));
            GroupStream right = new GroupStream(rights, operation.second(), task.inputType(1));
            KeyOrder order =
                    KeyOrder.of(
                            operation.first(),
                            task.inputType(0),
                            operation.second(),
                            task.inputType(1));
            boolean both = left.advance() && right.advance();
            while (both) {
                int compared = order.compare(left.key(), right.key());
                if (compared == 0) {
                    join(left, right, same, out);
                    both = left.advance() && right.advance();
                } else {
                    both = compared < 0 ? left.advance() : right.advance();
                }
            }
            out.finish(code, task.vertex().name());
            // The remaining records have no partner: terminate their senders early.
            task.gate(0).cancelUpstream();
            task.gate(1).cancelUpstream();
        } finally {
            code.close();
        }
    }

    private void join(GroupStream left, GroupStream right, ReplayBuffer same, ChainCollector out) {
        RecordView only = right.next();
        if (only == null) {
            return;
        }
        same.add(only);
        for (RecordView r = right.next(); r != null; r = right.next()) {
            same.add(r);
        }
        for (RecordView l = left.next(); l != null; l = left.next()) {
            task.space().control().check();
            try (RecordStream again = same.replay()) {
                for (@Nullable RecordView r = again.next(); r != null; r = again.next()) {
                    try {
                        code.join(l, r, out);
                    } catch (Throwable e) {
                        throw UserCodeFailure.of(task.vertex().name(), e);
                    }
                }
            }
        }
        same.clear();
    }

    @Override
    public String position() {
        return task.position();
    }
}
