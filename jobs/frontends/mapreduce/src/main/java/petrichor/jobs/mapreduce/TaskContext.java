package petrichor.jobs.mapreduce;

import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapreduce.Counter;

/** A task's context for both APIs, which counts in the task's counters. Belongs to one thread. */
final class TaskContext extends TaskAttemptContextImpl {
    private final TaskReporter reporter;

    TaskContext(Attempt attempt) {
        super(attempt.configuration(), attempt.id());
        this.reporter = attempt.reporter();
    }

    TaskReporter reporter() {
        return reporter;
    }

    @Override
    public Counter getCounter(Enum<?> name) {
        return reporter.getCounter(name);
    }

    @Override
    public Counter getCounter(String group, String name) {
        return reporter.getCounter(group, name);
    }
}
