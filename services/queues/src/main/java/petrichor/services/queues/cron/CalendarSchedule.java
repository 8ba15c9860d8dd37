package petrichor.services.queues.cron;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Month;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Runs at a time of day on certain days. A time that daylight saving time skips does not run; one
 * that it repeats runs twice.
 *
 * @param months in which it runs
 */
public record CalendarSchedule(Days days, Set<Month> months, LocalTime time, ZoneId zone)
        implements Schedule {
    /** February 29 may be eight years away. */
    private static final int MONTHS_MAX = 12 * 9;

    private static final int DAYS_PER_WEEK = 7;

    /** Days of a month. */
    public sealed interface Days {
        boolean contains(LocalDate date);

        /** Days of the month, from 1. */
        record OfMonth(Set<Integer> numbers) implements Days {
            public OfMonth {
                numbers = Set.copyOf(numbers);
            }

            @Override
            public boolean contains(LocalDate date) {
                return numbers.contains(date.getDayOfMonth());
            }
        }

        /**
         * Weekdays.
         *
         * @param ordinals 1 for the first one of the month, up to 5
         */
        record OfWeek(Set<Integer> ordinals, Set<DayOfWeek> weekdays) implements Days {
            public OfWeek {
                ordinals = Set.copyOf(ordinals);
                weekdays = Set.copyOf(weekdays);
            }

            @Override
            public boolean contains(LocalDate date) {
                int ordinal = (date.getDayOfMonth() - 1) / DAYS_PER_WEEK + 1;
                return ordinals.contains(ordinal) && weekdays.contains(date.getDayOfWeek());
            }
        }
    }

    public CalendarSchedule {
        months = Set.copyOf(months);
    }

    @Override
    public Instant next(Instant after) {
        LocalDate today = after.atZone(zone).toLocalDate();
        YearMonth month = YearMonth.from(today);
        for (int i = 0; i < MONTHS_MAX; i++, month = month.plusMonths(1)) {
            if (!months.contains(month.getMonth())) {
                continue;
            }
            for (LocalDate date : dates(month)) {
                if (date.isBefore(today)) {
                    continue;
                }
                for (ZonedDateTime run : LocalTimes.all(date.atTime(time), zone)) {
                    if (run.toInstant().isAfter(after)) {
                        return run.toInstant();
                    }
                }
            }
        }
        throw PetrichorException.of(ErrorCode.INTERNAL, "A schedule has no next time.");
    }

    private List<LocalDate> dates(YearMonth month) {
        return IntStream.rangeClosed(1, month.lengthOfMonth())
                .mapToObj(month::atDay)
                .filter(days::contains)
                .toList();
    }
}
