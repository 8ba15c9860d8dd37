package petrichor.bench;

import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;

/** One line that is written over on a terminal; silent elsewhere. */
public final class Progress {
    private final PrintStream out;
    private final boolean terminal;

    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Speaks if somebody sits at a terminal. */
    // System.console() still returns null where the standard streams are no terminal and no
    // provider stands in.
    @SuppressWarnings("SystemConsoleNull")
    public static Progress onTerminal(PrintStream out) {
        return new Progress(
                out, Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false));
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
