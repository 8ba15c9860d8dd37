package petrichor.cli.console;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Standard error as a terminal: colours and rewritable lines only on a terminal, and no colours
 * under NO_COLOR (no-color.org). Confined to one thread.
 */
public final class Terminal {
    private static final Path STANDARD_INPUT = Path.of("/proc/self/fd/0");
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final String ERASE_LINE = "\r\u001b[K";
    private static final int BAR_CELLS = 24;
    private static final long REDRAW_NANOS = 100_000_000;

    private final PrintStream err;
    private final boolean present;
    private final boolean colour;
    private final boolean quiet;
    private boolean lineOpen;
    private long drawnAt;

    Terminal(PrintStream err, boolean present, boolean colour, boolean quiet) {
        this.err = err;
        this.present = present;
        this.colour = colour;
        this.quiet = quiet;
    }

    public static Terminal open(boolean quiet) {
        boolean present = standardErrorIsTerminal();
        String noColour = System.getenv("NO_COLOR");
        boolean colour = present && (noColour == null || noColour.isEmpty());
        return new Terminal(System.err, present, colour, quiet);
    }

    /** Prints a message; nothing under {@code --quiet}. */
    public void say(String line) {
        if (!quiet) {
            closeLine();
            err.println(line);
        }
    }

    /** Prints an error, also under {@code --quiet}. */
    public void complain(String line) {
        closeLine();
        err.println(colour ? "\u001b[31m" + line + "\u001b[0m" : line);
    }

    public String bold(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String faint(String text) {
        return colour ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    /**
     * Shows the progress of a long operation on a rewritable line; prints nothing without a
     * terminal. {@code total} is -1 if unknown.
     */
    public void progress(String what, long count, long done, long total) {
        long now = System.nanoTime();
        if (quiet || !present || (lineOpen && now - drawnAt < REDRAW_NANOS)) {
            return;
        }
        StringBuilder line = new StringBuilder();
        if (total > 0) {
            int filled = (int) Math.min(BAR_CELLS, BAR_CELLS * done / total);
            line.append("█".repeat(filled))
                    .append("░".repeat(BAR_CELLS - filled))
                    .append(String.format(Locale.ROOT, " %3d %%  ", 100 * done / total));
        }
        line.append(String.format(Locale.ROOT, "%,d %s", count, what));
        draw(line.toString(), now);
    }

    /** Whether a rewritable line would be shown now. */
    public boolean showsStatus() {
        return !quiet && present && !(lineOpen && System.nanoTime() - drawnAt < REDRAW_NANOS);
    }

    /** Shows a status on a rewritable line; prints nothing without a terminal. */
    public void status(String line) {
        if (showsStatus()) {
            draw(line, System.nanoTime());
        }
    }

    private void draw(String line, long now) {
        drawnAt = now;
        lineOpen = true;
        err.print(ERASE_LINE + line);
        err.flush();
    }

    private void closeLine() {
        if (lineOpen) {
            err.print(ERASE_LINE);
            lineOpen = false;
        }
    }

    /** Whether a user types the input. */
    public static boolean standardInputIsTerminal() {
        return isTerminal(STANDARD_INPUT);
    }

    private static boolean standardErrorIsTerminal() {
        return isTerminal(STANDARD_ERROR);
    }

    /**
     * If the system does not report it, assumes a terminal if both other streams are connected to a
     * console.
     */
    private static boolean isTerminal(Path stream) {
        try {
            if (Files.isSymbolicLink(stream)) {
                String device = Files.readSymbolicLink(stream).toString();
                return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
            }
        } catch (IOException unknown) {
            return false;
        }
        return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
}
