package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.channels.TaskInput;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.records.RecordView;

/**
 * An input as seen by a driver: counts records, checks periodically whether the job was stopped,
 * and terminates its senders early when the stages after it want no more. Belongs to one thread.
 */
final class TaskInputStream implements RecordStream {
    private final RecordStream stream;
    private final TaskInput gate;
    private final ChainedOperator out;
    private final JobControl control;
    private long records;
    private boolean ended;

    TaskInputStream(RecordStream stream, TaskInput gate, ChainedOperator out, JobControl control) {
        this.stream = stream;
        this.gate = gate;
        this.out = out;
        this.control = control;
    }

    @Override
    public @Nullable RecordView next() {
        if (records % Workspace.RECORDS_BETWEEN_CHECKS == 0 && done()) {
            return null;
        }
        RecordView record = stream.next();
        if (record == null) {
            ended = true;
            return null;
        }
        records++;
        return record;
    }

    private boolean done() {
        control.check();
        if (!ended && out.isDone()) {
            ended = true;
            gate.cancelUpstream();
        }
        return ended;
    }

    /** Number of records returned. */
    long records() {
        return records;
    }

    @Override
    public void close() {
        ended = true;
        stream.close();
    }
}
