package petrichor.apps.router;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.table.RequestLimits;
import petrichor.base.MinuteCount;
import petrichor.base.RateLimit;
import petrichor.base.TimeSource;

/**
 * Counts the requests of visitors per app, and refuses those over the app's rate. A bucket lives as
 * long as its app is in the table; another rate applies to the same bucket. Thread-safe.
 */
final class RequestQuotas {
    private static final Logger LOG = LoggerFactory.getLogger(RequestQuotas.class);

    /** Between log lines about one app. */
    private static final Duration LOG_EVERY = Duration.ofMinutes(1);

    private final TimeSource time;
    private final Map<String, OfApp> apps = new ConcurrentHashMap<>();

    RequestQuotas(TimeSource time) {
        this.time = time;
    }

    private static final class OfApp {
        private final MinuteCount requests = new MinuteCount();
        private final LongAdder refused = new LongAdder();
        private final AtomicLong loggedNanos = new AtomicLong();
        private volatile @Nullable RateLimit rate;
    }

    /** Zero if the request may run; otherwise how long its visitor should wait. */
    Duration enter(String app, RequestLimits limits) {
        OfApp use = apps.computeIfAbsent(app, _ -> new OfApp());
        if (limits.rate().isPresent()) {
            RequestLimits.Rate rate = limits.rate().get();
            RateLimit bucket = bucket(use, rate);
            if (!bucket.take(1)) {
                use.refused.increment();
                log(app, use, rate);
                Duration wait = bucket.until(1);
                return wait.isPositive() ? wait : Duration.ofNanos(1);
            }
        } else {
            use.rate = null;
        }
        use.requests.add(time.monotonicNanos());
        return Duration.ZERO;
    }

    private RateLimit bucket(OfApp use, RequestLimits.Rate rate) {
        RateLimit known = use.rate;
        if (known == null) {
            synchronized (use) {
                known = use.rate;
                if (known == null) {
                    known = new RateLimit(rate.perMinute(), rate.burst(), time);
                    use.rate = known;
                }
            }
        }
        known.change(rate.perMinute(), rate.burst());
        return known;
    }

    private void log(String app, OfApp use, RequestLimits.Rate rate) {
        long now = time.monotonicNanos();
        long before = use.loggedNanos.get();
        boolean due = before == 0 || now - before >= LOG_EVERY.toNanos();
        if (due && use.loggedNanos.compareAndSet(before, now == 0 ? 1 : now)) {
            LOG.warn(
                    "quota app={} quota=requests limit={}/min burst={} refused={}",
                    app,
                    rate.perMinute(),
                    rate.burst(),
                    use.refused.sum());
        }
    }

    RequestUse use(String app) {
        OfApp use = apps.get(app);
        return use == null
                ? RequestUse.NONE
                : new RequestUse(use.requests.lastMinute(time.monotonicNanos()), use.refused.sum());
    }

    /** Forgets apps that the table does not have any more. */
    void retain(Set<String> names) {
        apps.keySet().retainAll(names);
    }
}
