package petrichor.jobs.engine.operators;

import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordView;

/** A map in a chain, called directly by the previous stage. */
final class ChainedMap implements ChainedOperator {
    private final String name;
    private final MapCode code;
    private final ChainCollector out;

    ChainedMap(Step.Map step, ChainedOperator next) {
        this.name = step.name();
        this.code = UserCodeCopy.of(step.code(), step.name());
        this.out = new ChainCollector(step.result(), next);
    }

    @Override
    public void accept(RecordView record) {
        try {
            code.map(record, out);
        } catch (Throwable e) {
            throw UserCodeFailure.of(name, e);
        }
    }

    @Override
    public boolean isDone() {
        return out.next().isDone();
    }

    @Override
    public void finish() {
        out.finish(code, name);
        out.next().finish();
    }

    @Override
    public void close() {
        try {
            code.close();
        } finally {
            out.next().close();
        }
    }
}
