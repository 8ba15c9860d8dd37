package petrichor.jobs.tuning;

import java.util.Locale;

/** Something that holds a job up. */
public sealed interface Finding {

    /** The task that it is about; of an edge the one that sends. */
    int task();

    /** In one word, for tables. */
    String displayName();

    /** In a sentence without a full stop. */
    String text();

    /**
     * A task whose subtasks are at work nearly all the time, while those behind it are not.
     *
     * @param mean the part of their time that its subtasks worked
     * @param max of the one that worked most
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
     * A task of which one subtask is at work nearly all the time, while its others wait: what it
     * gets is not spread evenly.
     *
     * @param subtask the one that worked most
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
     * An edge whose channels are full nearly all the time although nothing behind it is busy: what
     * carries it is too slow.
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
