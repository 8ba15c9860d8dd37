package petrichor.services.queues.cron;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;

/** Local times around changes of daylight saving time. Pure functions. */
final class LocalTimes {
    private LocalTimes() {}

    /** The instant; of a time that occurs twice the first, of one that does not occur the next. */
    static ZonedDateTime resolve(LocalDateTime local, ZoneId zone) {
        ZoneOffsetTransition gap = gap(local, zone);
        return gap == null ? ZonedDateTime.of(local, zone) : gap.getInstant().atZone(zone);
    }

    /** The gap that contains a local time; null if the time occurs. */
    static @org.jspecify.annotations.Nullable ZoneOffsetTransition gap(
            LocalDateTime local, ZoneId zone) {
        ZoneOffsetTransition transition = zone.getRules().getTransition(local);
        return transition != null && transition.isGap() ? transition : null;
    }

    /** All instants of a local time, in order: none, one or two. */
    static List<ZonedDateTime> all(LocalDateTime local, ZoneId zone) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
        return offsets.stream()
                .map(offset -> ZonedDateTime.ofInstant(local, offset, zone))
                .toList();
    }
}
