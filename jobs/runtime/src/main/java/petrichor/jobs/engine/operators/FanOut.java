package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.records.RecordView;

/** Passes every record to several stages: a task with several outgoing edges. */
public final class FanOut implements ChainedOperator {
    private final ChainedOperator[] stages;

    public FanOut(List<ChainedOperator> stages) {
        this.stages = stages.toArray(new ChainedOperator[0]);
    }

    @Override
    public void accept(RecordView record) {
        for (ChainedOperator stage : stages) {
            stage.accept(record);
        }
    }

    @Override
    public boolean isDone() {
        for (ChainedOperator stage : stages) {
            if (!stage.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void finish() {
        for (ChainedOperator stage : stages) {
            stage.finish();
        }
    }

    @Override
    public void close() {
        for (ChainedOperator stage : stages) {
            stage.close();
        }
    }
}
