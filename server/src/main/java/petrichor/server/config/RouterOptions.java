package petrichor.server.config;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import petrichor.apps.certificates.AcmeSettings;
import petrichor.apps.router.http.TrustedProxies;
import petrichor.base.PetrichorException;

/**
 * Settings of the router of apps.
 *
 * @param reloadEvery how often it looks for new certificates
 * @param acme empty if no certificates are ordered
 * @param proxies in front of the router
 */
public record RouterOptions(
        Duration reloadEvery, Optional<AcmeSettings> acme, TrustedProxies proxies) {
    static RouterOptions of(Settings from) {
        return new RouterOptions(
                from.duration(ConfigKey.SERVER_RELOAD_INTERVAL),
                from.text(ConfigKey.APPS_ACME_DIRECTORY).map(directory -> acme(directory, from)),
                from.text(ConfigKey.APPS_TRUSTED_PROXIES)
                        .map(TrustedProxies::parse)
                        .orElse(TrustedProxies.NONE));
    }

    private static AcmeSettings acme(String directory, Settings from) {
        if (!from.flag(ConfigKey.APPS_ACME_ACCEPT_TERMS)) {
            throw PetrichorException.invalid(
                    "apps.acme-directory needs apps.acme-accept-terms = true: read the terms of"
                            + " service of the ACME server first");
        }
        if (SettingValue.whole(from.value(ConfigKey.APPS_TLS_PORT)) == 0) {
            throw PetrichorException.invalid(
                    "apps.acme-directory needs a port for TLS: set apps.tls-port");
        }
        try {
            return new AcmeSettings(
                    URI.create(directory),
                    from.text(ConfigKey.APPS_ACME_EMAIL),
                    from.path(ConfigKey.APPS_ACME_AUTHORITY));
        } catch (IllegalArgumentException invalid) {
            throw PetrichorException.invalid(
                    "apps.acme-directory is no URL: \"{directory}\"", "directory", directory);
        }
    }
}
