package petrichor.movement.backups;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import petrichor.base.PetrichorException;

/** Versions as times. Stateless. */
public final class BackupTime {
    private BackupTime() {}

    public static String text(long version) {
        return Instant.EPOCH.plus(version, ChronoUnit.MICROS).toString();
    }

    /** A version in microseconds since 1970, or a time such as 2026-11-28T05:00:00Z. */
    public static long parse(String text) {
        try {
            return text.matches("\\d{1,18}")
                    ? Long.parseLong(text)
                    : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
        } catch (DateTimeParseException | ArithmeticException other) {
            throw PetrichorException.invalid(
                    "\"{time}\" is no time; write it as 2026-11-28T05:00:00.123456Z, or as a"
                            + " version.",
                    "time",
                    text);
        }
    }
}
