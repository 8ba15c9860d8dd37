package petrichor.server.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Compares the clocks of the other servers of a cluster with the local clock. */
final class ClockCheck {
    private static final Duration WARNING_OVER = Duration.ofSeconds(1);
    private static final Duration FAILED_OVER = Duration.ofMinutes(1);

    private ClockCheck() {}

    /** A reading of another server's clock between two readings of the local clock. */
    record Reading(String server, Instant asked, Instant said, Instant answered) {
        /** Positive if the other clock is ahead; accurate to half of the round-trip time. */
        Duration offset() {
            Duration half = Duration.between(asked, answered).dividedBy(2);
            return Duration.between(asked.plus(half), said);
        }

        Duration uncertainty() {
            return Duration.between(asked, answered).dividedBy(2);
        }
    }

    static Finding of(String server, Optional<Reading> reading) {
        if (reading.isEmpty()) {
            return Finding.warning(
                    "clock",
                    "the server " + server + " does not report its time",
                    "check that it runs and can be reached from here");
        }
        Duration offset = reading.get().offset();
        String what =
                "the clock of "
                        + server
                        + " differs by "
                        + offset.toMillis()
                        + " ms (to "
                        + reading.get().uncertainty().toMillis()
                        + " ms)";
        Duration certain = offset.abs().minus(reading.get().uncertainty());
        String remedy = "synchronise the clocks of both machines, with chrony or systemd-timesyncd";
        if (certain.compareTo(FAILED_OVER) > 0) {
            return Finding.failed("clock", what, remedy);
        }
        return certain.compareTo(WARNING_OVER) > 0
                ? Finding.warning("clock", what, remedy)
                : Finding.ok("clock", what);
    }
}
