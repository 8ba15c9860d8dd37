package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.records.RecordView;

/** Passes every record to several stages: a task with several outgoing edges. */
public final class FanOut implements Stage {
    private final Stage[] stages;

    public FanOut(List<Stage> stages) {
        this.stages = stages.toArray(new Stage[0]);
    }

    @Override
    public void accept(RecordView record) {
        for (Stage stage : stages) {
            stage.accept(record);
        }
    }

    @Override
    public boolean enough() {
        for (Stage stage : stages) {
            if (!stage.enough()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void finish() {
        for (Stage stage : stages) {
            stage.finish();
        }
    }

    @Override
    public void close() {
        for (Stage stage : stages) {
            stage.close();
        }
    }
}
