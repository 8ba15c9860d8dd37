package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.frontends.apps.QuotaPages;
import petrichor.server.metrics.Readings;

/** Metrics of the quotas of apps: their limits, what is used of them, and what they refused. */
final class QuotaReadings {
    private QuotaReadings() {}

    static MetricSnapshots of(
            EffectiveQuotas quotas,
            Set<String> apps,
            BiFunction<String, Quota, QuotaPages.Usage> usages) {
        List<Readings.Point> limits = new ArrayList<>();
        List<Readings.Point> used = new ArrayList<>();
        List<Readings.Point> refused = new ArrayList<>();
        for (String app : new TreeSet<>(apps)) {
            AppQuotas ofApp = quotas.of(app);
            for (Quota quota : Quota.values()) {
                Labels labels = Labels.of("app", app, "quota", quota.label());
                OptionalLong limit = ofApp.limit(quota);
                limit.ifPresent(value -> limits.add(new Readings.Point(labels, value)));
                QuotaPages.Usage usage = usages.apply(app, quota);
                usage.value().ifPresent(value -> used.add(new Readings.Point(labels, value)));
                if (limit.isPresent() || usage.refused() > 0) {
                    refused.add(new Readings.Point(labels, usage.refused()));
                }
            }
        }
        return new Readings()
                .gauges("petrichor_app_quota_limit", "Quotas of apps, in their units.", limits)
                .gauges("petrichor_app_quota_usage", "What apps use of quotas here.", used)
                .counters(
                        "petrichor_app_quota_refused_total",
                        "What quotas of apps refused here.",
                        refused)
                .snapshots();
    }
}
