package petrichor.jobs.tuning;

import java.util.Locale;

/** A bottleneck of a job. */
public sealed interface Finding {

    /** The task concerned; for an edge, its sender. */
    int task();

    /** One word, for tables. */
    String displayName();

    /** One sentence without a full stop. */
    String text();

    /**
     * A task whose subtasks work nearly all the time, while those downstream do not.
     *
     * @param mean average fraction of time that its subtasks worked
     * @param max of the busiest subtask
     */
    record Cpu(int task, String name, double mean, double max) implements Finding {
        @Override
        public String displayName() {
            return "cpu";
        }

        @Override
        public String text() {
            return "\""
                    + name
                    + "\" is busy "
                    + percent(mean)
                    + " of the time, and no downstream task is";
        }
    }

    /**
     * A task with one subtask that works nearly all the time while the others wait: its input is
     * skewed.
     *
     * @param subtask the busiest one
     */
    record Skew(int task, String name, double mean, double max, int subtask) implements Finding {
        @Override
        public String displayName() {
            return "skew";
        }

        @Override
        public String text() {
            return "subtask "
                    + (subtask + 1)
                    + " of \""
                    + name
                    + "\" is busy "
                    + percent(max)
                    + " of the time, the task's average is only "
                    + percent(mean);
        }
    }

    /**
     * An edge whose channels are full nearly all the time although no downstream task is busy: the
     * transport is too slow.
     */
    record Io(int task, int to, String name, String toName, double mean, double max)
            implements Finding {
        @Override
        public String displayName() {
            return "io";
        }

        @Override
        public String text() {
            return "the channels from \""
                    + name
                    + "\" to \""
                    + toName
                    + "\" are full "
                    + percent(mean)
                    + " of the time, and no downstream task is busy";
        }
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part);
    }
}
