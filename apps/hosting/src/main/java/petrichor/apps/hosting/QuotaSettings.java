package petrichor.apps.hosting;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntSupplier;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.apps.catalog.QuotaRecords;
import petrichor.apps.router.table.RequestLimits;

/**
 * The quotas of apps, and this server's part of them.
 *
 * @param records what operators set
 * @param effective what applies here; follows the records
 * @param servers of the cluster; at least 1
 */
public record QuotaSettings(QuotaRecords records, EffectiveQuotas effective, IntSupplier servers) {
    /** Reads the records again. */
    void follow() {
        effective.follow(records.all());
    }

    /**
     * What this server may let an app use of a quota that each server enforces by itself: an equal
     * part, and at least 1. Together the servers never allow more than the quota, unless it is less
     * than their number.
     */
    OptionalLong share(String app, Quota quota) {
        OptionalLong limit = effective.limit(app, quota);
        return limit.isEmpty() ? limit : OptionalLong.of(part(limit.getAsLong()));
    }

    private long part(long limit) {
        return Math.max(1, limit / Math.max(1, servers.getAsInt()));
    }

    /** For the router of this server. */
    RequestLimits requests(String app) {
        AppQuotas quotas = effective.of(app);
        OptionalLong perMinute = quotas.limit(Quota.REQUESTS);
        OptionalLong longest = quotas.limit(Quota.LONGEST_REQUEST);
        return new RequestLimits(
                perMinute.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new RequestLimits.Rate(
                                        part(perMinute.getAsLong()), part(quotas.requestBurst()))),
                longest.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(longest.getAsLong())));
    }
}
