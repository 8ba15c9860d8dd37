package petrichor.server;

import java.time.Duration;

/**
 * Settings of the router of apps.
 *
 * @param reloadEvery how often it looks for new certificates
 */
public record RouterOptions(Duration reloadEvery) {
    static RouterOptions of(Settings from) {
        return new RouterOptions(from.duration(ConfigKey.SERVER_RELOAD_INTERVAL));
    }
}
