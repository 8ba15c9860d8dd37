package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordView;

/** Iterates over two sorted inputs in parallel and passes both groups of every key to user code. */
final class CoGroupDriver implements Driver {
    private static final Group EMPTY =
            new Group() {
                @Override
                public @Nullable RecordView key() {
                    return null;
                }

                @Override
                public @Nullable RecordView next() {
                    return null;
                }
            };

    private final TaskContext task;
    private final Operation.CoGroup operation;
    private final CoGroupCode code;

    CoGroupDriver(TaskContext task, Operation.CoGroup operation) {
        this.task = task;
        this.operation = operation;
        this.code = UserCodeCopy.of(operation.code(), task.vertex().name());
    }

    @Override
    public void run(ChainedOperator next) {
        ChainCollector out = new ChainCollector(operation.result(), next);
        try (TaskInputStream lefts = task.open(0, next);
                TaskInputStream rights = task.open(1, next)) {
            GroupStream left = new GroupStream(lefts, operation.first(), task.inputType(0));
            GroupStream right = new GroupStream(rights, operation.second(), task.inputType(1));
            KeyOrder order =
                    KeyOrder.of(
                            operation.first(),
                            task.inputType(0),
                            operation.second(),
                            task.inputType(1));
            boolean leftThere = left.advance();
            boolean rightThere = right.advance();
            while (leftThere || rightThere) {
                int compared;
                if (leftThere && rightThere) {
                    compared = order.compare(left.key(), right.key());
                } else {
                    compared = leftThere ? -1 : 1;
                }
                call(compared <= 0 ? left : EMPTY, compared >= 0 ? right : EMPTY, out);
                if (compared <= 0) {
                    leftThere = left.advance();
                }
                if (compared >= 0) {
                    rightThere = right.advance();
                }
            }
            out.finish(code, task.vertex().name());
        } finally {
            code.close();
        }
    }

    private void call(Group left, Group right, ChainCollector out) {
        try {
            code.coGroup(left, right, out);
        } catch (Throwable e) {
            throw UserCodeFailure.of(task.vertex().name(), e);
        }
    }

    @Override
    public String position() {
        return task.position();
    }
}
