package petrichor.apps.instances;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A line that an instance wrote, or that the platform wrote about it. In a file: time, instance,
 * stream and text, separated by spaces.
 */
public record LogLine(Instant time, String instance, Stream stream, String text) {
    private static final int FIELDS = 4;

    /** Where a line comes from. */
    public enum Stream {
        STDOUT,
        STDERR,
        /** A message of the platform about the instance. */
        PLATFORM
    }

    String formatted() {
        return time
                + " "
                + instance
                + " "
                + stream.name().toLowerCase(Locale.ROOT)
                + " "
                + text
                + "\n";
    }

    /** Empty if the line is damaged, as the last one may be after a crash of the machine. */
    static Optional<LogLine> parse(String line) {
        String[] fields = line.split(" ", FIELDS);
        if (fields.length < FIELDS) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new LogLine(
                            Instant.parse(fields[0]),
                            fields[1],
                            Stream.valueOf(fields[2].toUpperCase(Locale.ROOT)),
                            fields[3]));
        } catch (DateTimeException | IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }
}
