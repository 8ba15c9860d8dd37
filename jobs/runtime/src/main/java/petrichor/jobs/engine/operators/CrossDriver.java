package petrichor.jobs.engine.operators;

import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.ReplayBuffer;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.RecordView;

/**
 * Block nested loops: pairs every record of one input with every record of the other. The inner
 * side is buffered and replayed for each record of the outer side, or for each chunk of them that
 * fits into memory.
 */
final class CrossDriver implements Driver {
    private final TaskContext task;
    private final Operation.Cross operation;
    private final JoinCode code;

    CrossDriver(TaskContext task, Operation.Cross operation) {
        this.task = task;
        this.operation = operation;
        this.code = UserCodeCopy.of(operation.code(), task.vertex().name());
    }

    @Override
    public void run(ChainedOperator next) {
        ChainCollector out = new ChainCollector(operation.result(), next);
        int outer = operation.outer().input();
        int inner = 1 - outer;
        try (ReplayBuffer kept =
                new ReplayBuffer(task.inputType(inner), task.share(), task.space())) {
            try (TaskInputStream records = task.open(inner, next)) {
                for (RecordView r = records.next(); r != null; r = records.next()) {
                    kept.add(r);
                }
            }
            if (kept.isEmpty()) {
                task.gate(outer).cancelUpstream();
                return;
            }
            try (TaskInputStream records = task.open(outer, next)) {
                if (operation.blocked()) {
                    blocked(records, kept, out);
                } else {
                    streamed(records, kept, out);
                }
            }
            out.finish(code, task.vertex().name());
        } finally {
            code.close();
        }
    }

    private void streamed(TaskInputStream outers, ReplayBuffer kept, ChainCollector out) {
        for (RecordView o = outers.next(); o != null; o = outers.next()) {
            task.space().control().check();
            try (RecordStream inners = kept.replay()) {
                for (RecordView i = inners.next(); i != null; i = inners.next()) {
                    pair(o, i, out);
                }
            }
        }
    }

    private void blocked(TaskInputStream outers, ReplayBuffer kept, ChainCollector out) {
        try (ReplayBuffer some =
                new ReplayBuffer(
                        task.inputType(operation.outer().input()), task.share(), task.space())) {
            for (RecordView o = outers.next(); o != null; o = outers.next()) {
                if (!some.addInMemory(o)) {
                    pairAll(some, kept, out);
                    some.clear();
                    some.addInMemory(o);
                }
            }
            pairAll(some, kept, out);
        }
    }

    private void pairAll(ReplayBuffer some, ReplayBuffer kept, ChainCollector out) {
        if (some.isEmpty()) {
            return;
        }
        try (RecordStream inners = kept.replay()) {
            for (RecordView i = inners.next(); i != null; i = inners.next()) {
                task.space().control().check();
                RecordStream outers = some.replay();
                for (RecordView o = outers.next(); o != null; o = outers.next()) {
                    pair(o, i, out);
                }
            }
        }
    }

    private void pair(RecordView outer, RecordView inner, ChainCollector out) {
        try {
            switch (operation.outer()) {
                case FIRST -> code.join(outer, inner, out);
                case SECOND -> code.join(inner, outer, out);
            }
        } catch (Throwable e) {
            throw UserCodeFailure.of(task.vertex().name(), e);
        }
    }

    @Override
    public String position() {
        return task.position();
    }
}
