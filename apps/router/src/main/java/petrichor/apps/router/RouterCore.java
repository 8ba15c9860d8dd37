package petrichor.apps.router;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import petrichor.apps.router.files.StaticFiles;
import petrichor.apps.router.http.HttpDate;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.tls.AcmeChallenges;
import petrichor.base.TimeSource;

/** What all exchanges of a router share. Thread-safe. */
record RouterCore(
        RouterSettings settings,
        Platform platform,
        RequestAdmission admission,
        RequestQuotas quotas,
        State state) {
    /** What the assembly provides. */
    record Platform(
            Backends backends,
            RequestHeaders headers,
            Visitors visitors,
            RequestLog log,
            AcmeChallenges challenges,
            TimeSource time) {}

    /** What the router itself has. */
    record State(
            AtomicReference<RoutingTable> table,
            StaticFiles files,
            RouteFinder finder,
            RouterMetrics metrics,
            HttpDate date) {}

    RoutingTable table() {
        return state.table().get();
    }

    RouterLimits limits() {
        return settings.limits();
    }

    RouterMetrics metrics() {
        return state.metrics();
    }

    /** The current time for a Date field. */
    String date() {
        return state.date().of(now());
    }

    Instant now() {
        long micros = platform.time().epochMicros();
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }
}
