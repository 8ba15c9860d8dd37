package petrichor.jobs.mapreduce;

import java.io.Serializable;
import org.apache.hadoop.mapreduce.Counters;
import org.jspecify.annotations.Nullable;

/**
 * What is known when a job is committed. A copy in another process knows nothing: sinks are
 * committed where the job was started. Safe for all threads.
 */
final class Finished implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient volatile @Nullable Counters counters;
    private transient volatile boolean prints;

    /** Counters will go to standard error, too, where Hadoop's client prints them. */
    void prints() {
        prints = true;
    }

    void with(Counters all) {
        counters = all;
        if (prints) {
            System.err.println(all);
        }
    }

    @Nullable Counters counters() {
        return counters;
    }
}
