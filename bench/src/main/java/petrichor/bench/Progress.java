package petrichor.bench;

import java.io.PrintStream;

/** One line that is written over on a terminal; silent elsewhere. */
public final class Progress {
    private final PrintStream out;
    private final boolean terminal;

    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    public void say(String what) {
        if (terminal) {
            out.print("\r\033[K" + what);
            out.flush();
        }
    }

    public void done() {
        say("");
    }
}
