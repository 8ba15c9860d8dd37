package petrichor.server.config;

import petrichor.frontends.datastore.FrontEndSettings;

/** Reads the limits of connections and requests. */
final class LimitSettings {
    private LimitSettings() {}

    static FrontEndSettings.Limits of(Settings from) {
        return new FrontEndSettings.Limits(
                from.bytes(ConfigKey.LIMITS_REQUEST_BYTES_MAX),
                from.bytes(ConfigKey.LIMITS_BUFFERED_BYTES_MAX),
                from.whole(ConfigKey.LIMITS_CONNECTIONS_MAX),
                from.whole(ConfigKey.LIMITS_CALLS_PER_CONNECTION_MAX),
                from.bytes(ConfigKey.LIMITS_HEADER_BYTES_MAX),
                from.duration(ConfigKey.LIMITS_FIRST_BYTES_TIMEOUT),
                from.duration(ConfigKey.LIMITS_REQUEST_TIMEOUT),
                from.duration(ConfigKey.LIMITS_IDLE_TIMEOUT),
                from.duration(ConfigKey.LIMITS_EXECUTION_TIMEOUT));
    }
}
