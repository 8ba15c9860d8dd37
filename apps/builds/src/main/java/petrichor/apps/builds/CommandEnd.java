package petrichor.apps.builds;

/** How a command ended. None of its processes is left. */
sealed interface CommandEnd {
    record Exited(int code) implements CommandEnd {
        boolean succeeded() {
            return code == 0;
        }
    }

    /** The deadline passed. */
    record TimedOut() implements CommandEnd {}

    record Cancelled() implements CommandEnd {}

    /** The output exceeded its limit. */
    record OutputTooLong() implements CommandEnd {}

    /** The files that it wrote exceeded their limit. */
    record DiskFull() implements CommandEnd {}
}
