package petrichor.apps.catalog;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import petrichor.base.PetrichorException;

/**
 * Quotas of an app, or those that apply where an app has none of its own. Immutable.
 *
 * @param limits by quota, in its unit; {@link QuotaUnit#UNLIMITED} for none
 */
public record AppQuotas(Map<Quota, Long> limits) {
    public static final AppQuotas NONE = new AppQuotas(Map.of());

    /** Part of the requests of a minute that an app may get at once. */
    private static final long BURST_PART = 6;

    public AppQuotas {
        EnumMap<Quota, Long> copy = new EnumMap<>(Quota.class);
        copy.putAll(limits);
        copy.forEach(
                (quota, limit) -> {
                    boolean valid =
                            limit == QuotaUnit.UNLIMITED
                                    || (limit >= 1 && limit <= QuotaUnit.VALUE_MAX);
                    if (!valid) {
                        throw PetrichorException.invalid(
                                "the quota {quota} is positive, and not {limit}",
                                "quota",
                                quota.label(),
                                "limit",
                                limit);
                    }
                });
        limits = Collections.unmodifiableMap(copy);
    }

    /**
     * Reads a list such as {@code requests=6000/min, storage=2GiB}; empty for none.
     * INVALID_ARGUMENT if it is not one.
     */
    public static AppQuotas parse(String text) {
        AppQuotas quotas = NONE;
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                int equals = part.indexOf('=');
                if (equals < 0) {
                    throw PetrichorException.invalid(
                            "\"{part}\" is not a quota; write it as requests=6000/min",
                            "part",
                            part.strip());
                }
                quotas = quotas.with(part.substring(0, equals).strip(), part.substring(equals + 1));
            }
        }
        return quotas;
    }

    /** With this value instead of another one. INVALID_ARGUMENT if it is not valid. */
    public AppQuotas with(String label, String value) {
        Quota quota = Quota.of(label);
        Map<Quota, Long> changed = copy();
        changed.put(quota, quota.unit().parse(label, value));
        return new AppQuotas(changed);
    }

    public AppQuotas without(Collection<Quota> quotas) {
        Map<Quota, Long> changed = copy();
        changed.keySet().removeAll(quotas);
        return new AppQuotas(changed);
    }

    /** These, and the others where these do not say anything. */
    public AppQuotas over(AppQuotas others) {
        Map<Quota, Long> all = others.copy();
        all.putAll(limits);
        return new AppQuotas(all);
    }

    private Map<Quota, Long> copy() {
        Map<Quota, Long> copy = new EnumMap<>(Quota.class);
        copy.putAll(limits);
        return copy;
    }

    /** Empty if the app may use as much as there is. */
    public OptionalLong limit(Quota quota) {
        long limit = limits.getOrDefault(quota, QuotaUnit.UNLIMITED);
        return limit == QuotaUnit.UNLIMITED ? OptionalLong.empty() : OptionalLong.of(limit);
    }

    /** Requests at once; at least 1. */
    public long requestBurst() {
        OptionalLong own = limit(Quota.REQUEST_BURST);
        return own.isPresent()
                ? own.getAsLong()
                : Math.max(1, limit(Quota.REQUESTS).orElse(BURST_PART) / BURST_PART);
    }
}
