package petrichor.jobs.engine.operators;

import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.ReduceCode;

/** Calls the user's code once per group of adjacent records. */
final class SortedReduceDriver implements Driver {
    private final TaskContext task;
    private final Operation.SortedReduce operation;
    private final ReduceCode code;

    SortedReduceDriver(TaskContext task, Operation.SortedReduce operation) {
        this.task = task;
        this.operation = operation;
        this.code = UserCodeCopy.of(operation.code(), task.vertex().name());
    }

    @Override
    public void run(ChainedOperator next) {
        ChainCollector out = new ChainCollector(operation.result(), next);
        try (TaskInputStream records = task.open(0, next)) {
            GroupStream groups = new GroupStream(records, operation.key(), task.inputType(0));
            while (groups.advance()) {
                try {
                    code.reduce(groups, out);
                } catch (Throwable e) {
                    throw UserCodeFailure.of(task.vertex().name(), e);
                }
            }
            out.finish(code, task.vertex().name());
        } finally {
            code.close();
        }
    }

    @Override
    public String position() {
        return task.position();
    }
}
