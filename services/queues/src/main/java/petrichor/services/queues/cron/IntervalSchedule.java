package petrichor.services.queues.cron;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/**
 * Runs at intervals: from the previous run, or from the start of a daily range.
 *
 * @param range part of each day; a synchronized schedule has the whole day
 * @param days on which it runs; all for no restriction
 */
public record IntervalSchedule(
        Duration period, Optional<DailyRange> range, Set<DayOfWeek> days, ZoneId zone)
        implements Schedule {
    /** A part of the day, both ends included; past midnight if it ends before it starts. */
    public record DailyRange(LocalTime from, LocalTime to) {
        static final DailyRange DAY = new DailyRange(LocalTime.MIDNIGHT, LocalTime.of(23, 59));
    }

    public IntervalSchedule {
        days = Set.copyOf(days);
    }

    @Override
    public Instant next(Instant after) {
        Instant from = after;
        while (true) {
            Instant candidate = candidate(from);
            if (days.contains(candidate.atZone(zone).getDayOfWeek())) {
                return candidate;
            }
            from = from.plus(period);
        }
    }

    private Instant candidate(Instant after) {
        return range.isEmpty()
                ? after.plus(period).truncatedTo(ChronoUnit.MINUTES)
                : inRange(after.atZone(zone), range.get());
    }

    /** The next multiple of the period in the same day's range, or the start of the next range. */
    private Instant inRange(ZonedDateTime after, DailyRange daily) {
        ZonedDateTime start = latest(after, daily.from());
        long seconds = Duration.between(start, after).toSeconds();
        long periods = seconds / period.toSeconds() + 1;
        ZonedDateTime interval = start.plus(period.multipliedBy(periods));
        ZonedDateTime nextStart = earliest(after, daily.from());
        boolean same = isIn(after, daily) && isIn(interval, daily) && interval.isBefore(nextStart);
        return (same ? interval : nextStart).toInstant();
    }

    private boolean isIn(ZonedDateTime time, DailyRange daily) {
        ZonedDateTime start = latest(time, daily.from());
        ZonedDateTime end = latest(time, daily.to());
        return start.toInstant().isAfter(end.toInstant())
                || time.toInstant().equals(end.toInstant());
    }

    /** The latest time up to this one with a time of day. */
    private ZonedDateTime latest(ZonedDateTime until, LocalTime time) {
        LocalDate date = until.toLocalDate();
        while (true) {
            ZonedDateTime result = LocalTimes.resolve(date.atTime(time), zone);
            if (!result.toInstant().isAfter(until.toInstant())) {
                return result;
            }
            date = date.minusDays(1);
        }
    }

    /** The earliest time after this one with a time of day. */
    private ZonedDateTime earliest(ZonedDateTime after, LocalTime time) {
        LocalDate date = after.toLocalDate();
        while (true) {
            ZonedDateTime result = LocalTimes.resolve(date.atTime(time), zone);
            if (result.toInstant().isAfter(after.toInstant())) {
                return result;
            }
            date = date.plusDays(1);
        }
    }
}
