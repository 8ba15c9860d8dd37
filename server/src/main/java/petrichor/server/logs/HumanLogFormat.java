package petrichor.server.logs;

import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.slf4j.MDC;

/** {@code 14:02:07.113 info listening on localhost:8081}. Nothing in it controls the terminal. */
final class HumanLogFormat extends Formatter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String PLAIN = "\u001b[0m";

    private final boolean colours;

    HumanLogFormat(boolean colours) {
        this.colours = colours;
    }

    @Override
    public String format(LogRecord event) {
        String level = Logging.name(event.getLevel());
        StringBuilder line = new StringBuilder(120);
        line.append(TIME.format(event.getInstant())).append(' ');
        line.append(coloured(level)).append(" ".repeat(6 - level.length()));
        PrintableText.append(line, formatMessage(event));
        String trace = MDC.get("trace");
        if (trace != null) {
            line.append(" trace=").append(trace);
        }
        line.append('\n');
        if (event.getThrown() != null) {
            line.append(PrintableText.stack(event.getThrown()));
        }
        return line.toString();
    }

    private String coloured(String level) {
        if (!colours) {
            return level;
        }
        return switch (level) {
            case "error" -> RED + level + PLAIN;
            case "warn" -> YELLOW + level + PLAIN;
            default -> level;
        };
    }
}
