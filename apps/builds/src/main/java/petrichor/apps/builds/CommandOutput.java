package petrichor.apps.builds;

import java.io.IOException;

/** Receives the output of a command, on one thread. */
interface CommandOutput {
    /**
     * @return false to stop the command, because it writes too much
     */
    boolean line(String line) throws IOException;

    /** Keeps a short output in memory. */
    final class Captured implements CommandOutput {
        private static final int CHARS_MAX = 1 << 16;

        private final StringBuilder text = new StringBuilder();

        @Override
        public synchronized boolean line(String line) {
            text.append(line).append('\n');
            return text.length() <= CHARS_MAX;
        }

        synchronized String text() {
            return text.toString();
        }
    }
}
