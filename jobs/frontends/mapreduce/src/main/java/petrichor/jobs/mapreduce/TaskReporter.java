package petrichor.jobs.mapreduce;

import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.jspecify.annotations.Nullable;

/** The counters and status of a task, for both APIs. For all threads of one task. */
final class TaskReporter extends StatusReporter implements Reporter {
    /** Of the older API: its counters implement the newer API's interface, not vice versa. */
    private final org.apache.hadoop.mapred.Counters counters =
            new org.apache.hadoop.mapred.Counters();

    private volatile @Nullable InputSplit split;

    /** A copy. */
    synchronized Counters counters() {
        return new Counters(counters);
    }

    @Override
    public synchronized org.apache.hadoop.mapred.Counters.Counter getCounter(Enum<?> name) {
        return counters.findCounter(name);
    }

    @Override
    public synchronized org.apache.hadoop.mapred.Counters.Counter getCounter(
            String group, String name) {
        return counters.findCounter(group, name);
    }

    @Override
    public void incrCounter(Enum<?> name, long by) {
        getCounter(name).increment(by);
    }

    @Override
    public void incrCounter(String group, String name, long by) {
        getCounter(group, name).increment(by);
    }

    void reads(InputSplit from) {
        split = from;
    }

    @Override
    public InputSplit getInputSplit() {
        InputSplit known = split;
        if (known == null) {
            throw new UnsupportedOperationException("only a map has a split");
        }
        return known;
    }

    @Override
    public void progress() {
        // Silent tasks are not killed.
    }

    @Override
    public float getProgress() {
        return 0;
    }

    @Override
    public void setStatus(String status) {
        // The engine measures the progress of tasks.
    }
}
