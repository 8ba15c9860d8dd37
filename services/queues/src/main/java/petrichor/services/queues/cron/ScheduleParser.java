package petrichor.services.queues.cron;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/** Recursive-descent parser of App Engine's schedules. Confined to one thread. */
final class ScheduleParser {
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(\\d{1,2}:\\d{2}|\\d+(?:st|nd|rd|th)|\\d+|[a-z]+|,|\\S)\\s*");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern TIME = Pattern.compile("(\\d|[01]\\d|2[0-3]):([0-5]\\d)");
    private static final Set<String> HOURS = Set.of("hours");
    private static final Set<String> MINUTES = Set.of("mins", "minutes");
    private static final Map<String, Integer> ORDINALS =
            Map.of(
                    "1st", 1, "first", 1, "2nd", 2, "second", 2, "3rd", 3, "third", 3, "4th", 4,
                    "fourth", 4, "5th", 5, "fifth", 5);
    private static final Map<String, DayOfWeek> WEEKDAYS = weekdays();
    private static final Map<String, Month> MONTHS = months();
    private static final Set<Integer> ALL_ORDINALS = Set.of(1, 2, 3, 4, 5);
    private static final int MONTHS_PER_QUARTER = 3;
    private static final int DAYS_MAX = 31;
    private static final int TEXT_CHARACTERS_MAX = 500;
    private static final Duration DAY = Duration.ofDays(1);

    private final String text;
    private final ZoneId zone;
    private final List<String> tokens = new ArrayList<>();
    private int at;

    ScheduleParser(String text, ZoneId zone) {
        this.text = text;
        this.zone = zone;
        if (text.length() > TEXT_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "A schedule has at most {max} characters.", "max", TEXT_CHARACTERS_MAX);
        }
        Matcher matcher = TOKEN.matcher(text.toLowerCase(Locale.ROOT));
        matcher.results().map(result -> result.group(1)).forEach(tokens::add);
    }

    private static Map<String, DayOfWeek> weekdays() {
        Map<String, DayOfWeek> names = new HashMap<>();
        for (DayOfWeek day : DayOfWeek.values()) {
            String name =
                    day.getDisplayName(TextStyle.FULL, Locale.ENGLISH).toLowerCase(Locale.ROOT);
            names.put(name, day);
            names.put(name.substring(0, 3), day);
        }
        return names;
    }

    private static Map<String, Month> months() {
        Map<String, Month> names = new HashMap<>();
        for (Month month : Month.values()) {
            String name =
                    month.getDisplayName(TextStyle.FULL, Locale.ENGLISH).toLowerCase(Locale.ROOT);
            names.put(name, month);
            names.put(name.substring(0, 3), month);
        }
        return names;
    }

    Schedule parse() {
        Schedule schedule;
        if (peek().equals("every") && NUMBER.matcher(peek(1)).matches()) {
            at++;
            schedule = interval();
        } else {
            schedule = calendar();
        }
        if (at < tokens.size()) {
            throw wrong("the end of the schedule");
        }
        return schedule;
    }

    private Schedule interval() {
        int count = number();
        Duration unit;
        if (HOURS.contains(peek())) {
            unit = Duration.ofHours(1);
        } else if (MINUTES.contains(peek())) {
            unit = Duration.ofMinutes(1);
        } else {
            throw wrong("hours or minutes");
        }
        at++;
        if (count < 1) {
            throw invalid("the interval must be at least 1");
        }
        Duration period = unit.multipliedBy(count);
        Optional<IntervalSchedule.DailyRange> range = Optional.empty();
        if (skip("from")) {
            LocalTime from = time();
            expect("to");
            range = Optional.of(new IntervalSchedule.DailyRange(from, time()));
        } else if (skip("synchronized")) {
            if (period.compareTo(DAY) > 0 || DAY.toSeconds() % period.toSeconds() != 0) {
                throw invalid("a synchronized interval must divide 24 hours evenly");
            }
            range = Optional.of(IntervalSchedule.DailyRange.DAY);
        }
        Set<DayOfWeek> days = EnumSet.allOf(DayOfWeek.class);
        if (skip("on")) {
            days = skip("day") ? days : list(WEEKDAYS::get, "a weekday");
            if (days.size() < DayOfWeek.values().length && period.compareTo(DAY) > 0) {
                throw invalid("an interval with weekdays must be at most 24 hours");
            }
        }
        return new IntervalSchedule(period, range, days, zone);
    }

    private Schedule calendar() {
        CalendarSchedule.Days days;
        boolean needsMonths = false;
        if (NUMBER.matcher(peek()).matches()) {
            days =
                    new CalendarSchedule.Days.OfMonth(
                            list(ScheduleParser::day, "a day of the month"));
            needsMonths = true;
        } else {
            days = ordinalDays();
        }
        Set<Month> months = EnumSet.allOf(Month.class);
        if (skip("of")) {
            months = monthsOrQuarters();
        } else if (needsMonths) {
            throw wrong("of");
        }
        requireDay(days, months);
        return new CalendarSchedule(days, months, time(), zone);
    }

    private CalendarSchedule.Days ordinalDays() {
        Set<Integer> ordinals =
                skip("every") ? ALL_ORDINALS : list(ORDINALS::get, "every, or 1st to 5th");
        boolean every = tokens.get(at - 1).equals("every");
        if (skip("day")) {
            return every
                    ? new CalendarSchedule.Days.OfWeek(ALL_ORDINALS, EnumSet.allOf(DayOfWeek.class))
                    : new CalendarSchedule.Days.OfMonth(ordinals);
        }
        return new CalendarSchedule.Days.OfWeek(ordinals, list(WEEKDAYS::get, "a weekday or day"));
    }

    private Set<Month> monthsOrQuarters() {
        if (skip("month")) {
            return EnumSet.allOf(Month.class);
        }
        if (skip("quarter")) {
            return quarters(Set.of(1));
        }
        if (ORDINALS.containsKey(peek())) {
            Set<Integer> ordinals = list(ScheduleParser::monthOfQuarter, "first to third");
            expect("month");
            expect("of");
            expect("quarter");
            return quarters(ordinals);
        }
        return list(MONTHS::get, "a month or quarter");
    }

    private static Set<Month> quarters(Set<Integer> ordinals) {
        Set<Month> months = EnumSet.noneOf(Month.class);
        for (Month month : Month.values()) {
            if (ordinals.contains((month.getValue() - 1) % MONTHS_PER_QUARTER + 1)) {
                months.add(month);
            }
        }
        return months;
    }

    private static @Nullable Integer monthOfQuarter(String token) {
        Integer ordinal = ORDINALS.get(token);
        return ordinal != null && ordinal <= MONTHS_PER_QUARTER ? ordinal : null;
    }

    private static @Nullable Integer day(String token) {
        if (!NUMBER.matcher(token).matches()) {
            return null;
        }
        int day = Integer.parseInt(token);
        return day >= 1 && day <= DAYS_MAX ? day : null;
    }

    private void requireDay(CalendarSchedule.Days days, Set<Month> months) {
        if (days instanceof CalendarSchedule.Days.OfMonth(Set<Integer> numbers)) {
            int first = numbers.stream().min(Integer::compare).orElseThrow();
            if (months.stream().noneMatch(month -> first <= month.maxLength())) {
                throw invalid("none of its months has such a day");
            }
        }
    }

    private <T extends Comparable<T>> Set<T> list(
            Function<String, @Nullable T> parse, String expected) {
        Set<T> items = new TreeSet<>();
        do {
            T item = parse.apply(peek());
            if (item == null) {
                throw wrong(expected);
            }
            at++;
            items.add(item);
        } while (skip(","));
        return items;
    }

    private int number() {
        if (!NUMBER.matcher(peek()).matches()) {
            throw wrong("a number");
        }
        return Integer.parseInt(tokens.get(at++));
    }

    private LocalTime time() {
        Matcher matcher = TIME.matcher(peek());
        if (!matcher.matches()) {
            throw wrong("a time such as 09:00");
        }
        at++;
        MatchResult parts = matcher.toMatchResult();
        return LocalTime.of(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    private String peek() {
        return peek(0);
    }

    private String peek(int ahead) {
        return at + ahead < tokens.size() ? tokens.get(at + ahead) : "";
    }

    private boolean skip(String word) {
        if (peek().equals(word)) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(String word) {
        if (!skip(word)) {
            throw wrong(word);
        }
    }

    private PetrichorException wrong(String expected) {
        return PetrichorException.invalid(
                "The schedule \"{schedule}\" is not valid at \"{token}\": {expected} is expected"
                        + " there.",
                "schedule",
                text,
                "token",
                peek(),
                "expected",
                expected);
    }

    private PetrichorException invalid(String problem) {
        return PetrichorException.invalid(
                "The schedule \"{schedule}\" is not valid: {problem}.",
                "schedule",
                text,
                "problem",
                problem);
    }
}
