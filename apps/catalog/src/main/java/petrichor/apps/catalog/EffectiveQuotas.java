package petrichor.apps.catalog;

import java.util.Map;
import java.util.OptionalLong;

/**
 * The quotas that apply on this server: an app's own, and the server's defaults for the rest. A
 * copy of the catalog's, so that requests are checked without a read. Thread-safe.
 */
public final class EffectiveQuotas {
    private final AppQuotas defaults;
    private volatile Map<String, AppQuotas> own = Map.of();

    /**
     * @param defaults of apps without quotas of their own
     */
    public EffectiveQuotas(AppQuotas defaults) {
        this.defaults = defaults;
    }

    public AppQuotas defaults() {
        return defaults;
    }

    /** Takes over what the catalog says now. */
    public void follow(Map<String, AppQuotas> quotas) {
        own = Map.copyOf(quotas);
    }

    public AppQuotas of(String app) {
        AppQuotas found = own.get(app);
        return found == null ? defaults : found.over(defaults);
    }

    /** Empty if the app may use as much as there is. */
    public OptionalLong limit(String app, Quota quota) {
        return of(app).limit(quota);
    }
}
