package petrichor.sql;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The operand of AS OF SYSTEM TIME. */
final class ReadTime {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private ReadTime() {}

    /** The statement without its AS OF SYSTEM TIME. */
    static String removed(String statement) {
        List<SqlToken> tokens = SqlToken.of(statement);
        List<String> words = tokens.stream().map(SqlToken::word).toList();
        int at = Collections.indexOfSubList(words, List.of("AS", "OF", "SYSTEM", "TIME"));
        return at < 0 || at + 4 >= tokens.size()
                ? statement
                : statement.substring(0, tokens.get(at).from())
                        + statement.substring(tokens.get(at + 4).to());
    }

    /**
     * Microseconds since 1970.
     *
     * @param operand a number of microseconds; or a string with that, with a point in time in ISO
     *     form (UTC unless it has an offset), or with an age such as {@code -10s}
     */
    static long parse(String operand) {
        String text = operand.strip();
        if (text.startsWith("'") && text.endsWith("'") && text.length() > 1) {
            text = text.substring(1, text.length() - 1).strip();
        }
        try {
            if (text.startsWith("-")) {
                return micros(Instant.now().minus(age(text.substring(1).strip())));
            }
            boolean number = !text.isEmpty() && text.chars().allMatch(Character::isDigit);
            if (number) {
                return Long.parseLong(text);
            }
            String iso = text.replace(' ', 'T');
            boolean offset = iso.endsWith("Z") || iso.lastIndexOf('+') > 10;
            return micros(
                    offset
                            ? OffsetDateTime.parse(iso).toInstant()
                            : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException | ArithmeticException | NumberFormatException invalid) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER,
                    "AS OF SYSTEM TIME: not a point in time: " + operand,
                    "Use '2026-01-31 12:00:00', '-10s' or microseconds since 1970.",
                    0,
                    invalid);
        }
    }

    private static Duration age(String text) {
        return Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
    }

    private static long micros(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), MICROS_PER_SECOND),
                instant.getNano() / 1_000);
    }
}
