package petrichor.jobs.mapreduce;

import org.apache.hadoop.mapreduce.Counters;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/** The result of a task that writes the job's output: its counters. */
final class TaskResult {
    static final int COUNTED = 0;

    static final RecordType TYPE = RecordType.of(Field.bytes("counted"));

    private TaskResult() {}

    static void emit(Counters counters, Out out) {
        out.record().bytes(COUNTED, CounterBytes.of(counters)).emit();
    }
}
