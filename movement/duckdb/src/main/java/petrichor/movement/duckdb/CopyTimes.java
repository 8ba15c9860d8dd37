package petrichor.movement.duckdb;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** Times as DuckDB shows them, so that a time in a text or in JSON has one form. Stateless. */
final class CopyTimes {
    private static final int YEAR_DIGITS_MAX = 10;
    private static final int FRACTION_DIGITS_MAX = 6;

    private static final DateTimeFormatter DATE =
            new DateTimeFormatterBuilder()
                    .appendValue(ChronoField.YEAR, 4, YEAR_DIGITS_MAX, SignStyle.NORMAL)
                    .appendPattern("-MM-dd")
                    .toFormatter(Locale.ROOT);

    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder()
                    .appendPattern("HH:mm:ss")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, FRACTION_DIGITS_MAX, true)
                    .toFormatter(Locale.ROOT);

    private CopyTimes() {}

    static String text(LocalDate date) {
        return DATE.format(date);
    }

    static String text(LocalTime time) {
        return TIME.format(time);
    }

    static String text(OffsetTime time) {
        return TIME.format(time) + offset(time.getOffset());
    }

    static String text(LocalDateTime time) {
        return DATE.format(time) + " " + TIME.format(time);
    }

    /** In UTC. */
    static String text(OffsetDateTime time) {
        return text(time.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime()) + "+00";
    }

    private static String offset(ZoneOffset offset) {
        return offset.equals(ZoneOffset.UTC) ? "+00" : offset.getId();
    }
}
