package petrichor.apps.hosting;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppDomain;
import petrichor.base.PetrichorException;

/** The domains of apps outside the platform's domain. Thread-safe; blocks. */
public final class CustomDomains {
    private final AppCatalog catalog;
    private final Supplier<Hosting> hosting;
    private final String platform;

    /**
     * @param hosting is called by the first change
     * @param platform the domain of {@code APP.DOMAIN}
     */
    public CustomDomains(AppCatalog catalog, Supplier<Hosting> hosting, String platform) {
        this.catalog = catalog;
        this.hosting = hosting;
        this.platform = platform.toLowerCase(Locale.ROOT);
    }

    /** NOT_FOUND if there is no such app. */
    public List<AppDomain> of(String app) {
        return catalog.require(app).configuration().domains();
    }

    /**
     * Requests to the host of the domain reach the app when this method returns. ALREADY_EXISTS if
     * another app has the domain.
     */
    public List<AppDomain> add(String app, AppDomain domain) {
        if (domain.isWithin(platform)) {
            throw PetrichorException.invalid(
                    "{host} belongs to the platform's domain {domain}, where each app has a host"
                            + " already",
                    "host",
                    domain.host(),
                    "domain",
                    platform);
        }
        return hosting.get()
                .changed(() -> catalog.addDomain(app, domain))
                .configuration()
                .domains();
    }

    /** NOT_FOUND if the app does not have this domain. */
    public List<AppDomain> remove(String app, String host) {
        return hosting.get()
                .changed(() -> catalog.removeDomain(app, AppDomain.normal(host)))
                .configuration()
                .domains();
    }
}
