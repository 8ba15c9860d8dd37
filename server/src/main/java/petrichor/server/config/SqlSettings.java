package petrichor.server.config;

import java.util.Optional;

/**
 * SQL for PostgreSQL's clients.
 *
 * @param port 0: none
 * @param analyticsMemoryBytes of the process for analytics; empty: no analytics
 * @param analyticsDiskBytes of its copies of tables, and again of temporary files
 */
public record SqlSettings(int port, Optional<Long> analyticsMemoryBytes, long analyticsDiskBytes) {
    public static final SqlSettings NONE = new SqlSettings(0, Optional.empty(), 1);

    static SqlSettings of(Settings from) {
        return new SqlSettings(
                from.whole(ConfigKey.SQL_PORT),
                from.text(ConfigKey.SQL_ANALYTICS_MEMORY).map(SettingValue::bytes),
                SettingValue.bytes(from.value(ConfigKey.SQL_ANALYTICS_DISK)));
    }
}
