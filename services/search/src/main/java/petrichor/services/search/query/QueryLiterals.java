package petrichor.services.search.query;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers and dates as written in queries. */
public final class QueryLiterals {
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(\\d{1,400}(\\.\\d{0,400})?|\\.\\d{1,400})([eE][+-]?\\d{1,4})?");
    private static final Pattern DATE = Pattern.compile("(\\d{4})-(\\d{1,2})-(\\d{1,2})");

    private QueryLiterals() {}

    /** Null if this is not a number. */
    public static @Nullable Double number(String text) {
        return NUMBER.matcher(text).matches() ? Double.valueOf(text) : null;
    }

    /** Days since 1970; null if this is not a date such as 2012-7-4. */
    public static @Nullable Long day(String text) {
        Matcher date = DATE.matcher(text);
        if (!date.matches()) {
            return null;
        }
        try {
            return LocalDate.of(
                            Integer.parseInt(date.group(1)),
                            Integer.parseInt(date.group(2)),
                            Integer.parseInt(date.group(3)))
                    .toEpochDay();
        } catch (DateTimeException _) {
            return null;
        }
    }
}
