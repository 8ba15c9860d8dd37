package petrichor.services.queues.cron;

import java.time.Instant;
import java.time.ZoneId;

/**
 * When a cron job runs: App Engine's schedule language. Pure functions of time.
 *
 * <pre>
 * every 12 hours
 * every 5 minutes from 10:00 to 14:00
 * every 2 hours synchronized
 * every 10 mins on monday,friday
 * every day 00:00
 * every monday,friday 09:00
 * 2nd,third mon,wed of march 17:00
 * 1,15 of month 08:30
 * first day of quarter 06:00
 * 1st monday of 2nd month of quarter 09:00
 * </pre>
 */
public sealed interface Schedule permits IntervalSchedule, CalendarSchedule {
    /** The first run after this time. */
    Instant next(Instant after);

    /** INVALID_ARGUMENT if the text is not a schedule. */
    static Schedule parse(String text, ZoneId zone) {
        return new ScheduleParser(text, zone).parse();
    }
}
