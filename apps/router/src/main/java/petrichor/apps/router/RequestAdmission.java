package petrichor.apps.router;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the concurrent requests in total and per app. Dynamic thresholds (Choudhury and Hahne,
 * 1998): an app may have at most as many requests as there are free places. Busy apps therefore get
 * equal shares, and an app that becomes busy later always finds free places. Thread-safe.
 */
final class RequestAdmission {
    private final RouterLimits.Concurrency limits;
    private final AtomicInteger total = new AtomicInteger();
    private final Map<String, AtomicInteger> apps = new ConcurrentHashMap<>();

    RequestAdmission(RouterLimits.Concurrency limits) {
        this.limits = limits;
    }

    /** A running request. */
    final class Place {
        private final AtomicInteger ofApp;

        private Place(AtomicInteger ofApp) {
            this.ofApp = ofApp;
        }

        /** Call once, at the end of the request. */
        void leave() {
            total.decrementAndGet();
            ofApp.decrementAndGet();
        }
    }

    /** Null if the request must not run. */
    @Nullable Place enter(String app) {
        Place place = new Place(apps.computeIfAbsent(app, _ -> new AtomicInteger()));
        int mine = place.ofApp.incrementAndGet();
        int freeBefore = limits.requestsMax() - total.incrementAndGet() + 1;
        if (mine <= freeBefore && mine <= limits.requestsPerAppMax()) {
            return place;
        }
        place.leave();
        return null;
    }

    int running() {
        return total.get();
    }

    /** Forgets apps that the table does not have any more. */
    void retain(Set<String> names) {
        apps.keySet().retainAll(names);
    }
}
