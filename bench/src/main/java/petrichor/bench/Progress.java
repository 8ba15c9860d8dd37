package petrichor.bench;

import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;

/** A status line that is overwritten on a terminal; silent elsewhere. */
public final class Progress {
    private final PrintStream out;
    private final boolean terminal;

    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Active only on a terminal. */
    // System.console() still returns null where the standard streams are not a terminal and no
    // provider replaces it.
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
