package petrichor.sql;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.Timeouts;

/**
 * The variables of a session, by lower-case name. A variable with a dot in its name belongs to the
 * client. Confined to the session's thread.
 */
final class SessionSettings {
    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("timezone", "UTC"),
                    Map.entry("datestyle", "ISO, MDY"),
                    Map.entry("intervalstyle", "postgres"),
                    Map.entry("client_encoding", "UTF8"),
                    Map.entry("server_encoding", "UTF8"),
                    Map.entry("server_version", "15.0"),
                    Map.entry("server_version_num", "150000"),
                    Map.entry("integer_datetimes", "on"),
                    Map.entry("standard_conforming_strings", "on"),
                    Map.entry("is_superuser", "off"),
                    Map.entry("search_path", "public"),
                    Map.entry("application_name", ""),
                    Map.entry("extra_float_digits", "1"),
                    Map.entry("bytea_output", "hex"),
                    Map.entry("client_min_messages", "notice"),
                    Map.entry("statement_timeout", "0"),
                    Map.entry("lock_timeout", "0"),
                    Map.entry("idle_in_transaction_session_timeout", "0"),
                    Map.entry("default_transaction_isolation", "serializable"),
                    Map.entry("transaction_isolation", "serializable"),
                    Map.entry("default_transaction_read_only", "off"),
                    Map.entry("transaction_read_only", "off"),
                    Map.entry("default_transaction_deferrable", "off"),
                    Map.entry("transaction_deferrable", "off"),
                    Map.entry(AnalyticsReads.ENGINE, "transactions"),
                    Map.entry("xmloption", "content"),
                    Map.entry("row_security", "on"),
                    Map.entry("check_function_bodies", "on"),
                    Map.entry("max_prepared_transactions", "0"),
                    Map.entry("role", "none"),
                    Map.entry("escape_string_warning", "on"),
                    Map.entry("synchronous_commit", "on"),
                    Map.entry("default_tablespace", ""),
                    Map.entry("default_table_access_method", "heap"),
                    Map.entry("max_identifier_length", "63"));

    /** Variables that describe the server. */
    private static final Set<String> FIXED =
            Set.of(
                    "server_encoding",
                    "server_version",
                    "server_version_num",
                    "integer_datetimes",
                    "is_superuser",
                    "max_prepared_transactions",
                    "max_identifier_length");

    private final Map<String, String> values = new TreeMap<>();
    private Map<String, String> atBegin = Map.of();
    private final Map<String, @Nullable String> local = new TreeMap<>();

    SessionSettings(String user) {
        values.put("session_authorization", user);
    }

    @Nullable String get(String name) {
        String key = name.toLowerCase(Locale.ROOT);
        String value = values.get(key);
        if (value != null) {
            return value;
        }
        String initial = DEFAULTS.get(key);
        return initial == null ? AcceptedSettings.DEFAULTS.get(key) : initial;
    }

    void set(String name, @Nullable String value, boolean onlyTransaction) {
        String key = name.toLowerCase(Locale.ROOT);
        boolean known =
                DEFAULTS.containsKey(key)
                        || AcceptedSettings.DEFAULTS.containsKey(key)
                        || key.indexOf('.') > 0;
        if (!known && !values.containsKey(key)) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "unrecognized configuration parameter \"" + name + "\"");
        }
        if (FIXED.contains(key)) {
            throw new SqlException("55P02", "parameter \"" + name + "\" cannot be changed");
        }
        if (value != null) {
            validate(key, value);
        }
        if (onlyTransaction) {
            local.putIfAbsent(key, values.get(key));
        } else {
            local.remove(key);
        }
        if (value == null) {
            values.remove(key);
        } else {
            values.put(key, value);
        }
    }

    private void validate(String key, String value) {
        switch (key) {
            case "timezone" -> zone(value);
            case "statement_timeout", "lock_timeout" -> duration(value);
            case AnalyticsReads.ENGINE -> engine(value);
            case "client_encoding" -> encoding(value);
            case "role" -> role(value);
            default -> {
                // Kept as it is.
            }
        }
    }

    /** The rights of a session are those of its user. */
    private void role(String value) {
        if (!value.equalsIgnoreCase("none") && !value.equals(required("session_authorization"))) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "SET ROLE with another role than the user of the session: not supported");
        }
    }

    private static void encoding(String value) {
        String name = value.replace("-", "").replace("'", "");
        if (!name.equalsIgnoreCase("UTF8") && !name.equalsIgnoreCase("UNICODE")) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER,
                    "client_encoding must be UTF8, not " + value + ", for this server");
        }
    }

    private static ZoneId zone(String value) {
        try {
            return ZoneId.of(value.equalsIgnoreCase("utc") ? "UTC" : value);
        } catch (DateTimeException unknown) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER,
                    "invalid value for parameter \"TimeZone\": \"" + value + "\"",
                    unknown);
        }
    }

    private static Duration duration(String value) {
        String text = value.strip().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        try {
            long number = Long.parseLong(text.substring(0, digits));
            return switch (text.substring(digits).strip()) {
                case "", "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "min" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> throw new NumberFormatException(text);
            };
        } catch (NumberFormatException invalid) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER, "invalid duration: \"" + value + "\"", invalid);
        }
    }

    ZoneId zone() {
        return zone(required("timezone"));
    }

    /** Zero for none. */
    Duration statementTimeout() {
        return duration(required("statement_timeout"));
    }

    Timeouts timeouts() {
        return new Timeouts(statementTimeout(), duration(required("lock_timeout")), false);
    }

    List<String> searchPath() {
        List<String> schemas = new ArrayList<>();
        for (String part : required("search_path").split(",", -1)) {
            String schema = part.strip().replace("\"", "");
            if (!schema.isEmpty() && !schema.equals("$user") && !schema.equals("pg_catalog")) {
                schemas.add(schema);
            }
        }
        return schemas;
    }

    /** What executes queries. */
    enum Engine {
        TRANSACTIONS,
        ANALYTICS,
        /** Analytics, if it is expected to be faster. */
        AUTO
    }

    Engine engine() {
        return engine(required(AnalyticsReads.ENGINE));
    }

    private static Engine engine(String value) {
        for (Engine engine : Engine.values()) {
            if (engine.name().equalsIgnoreCase(value)) {
                return engine;
            }
        }
        throw new SqlException(
                SqlState.INVALID_PARAMETER,
                "invalid value for parameter \"petrichor.engine\": \"" + value + "\"",
                "Use transactions, analytics or auto.",
                0,
                null);
    }

    boolean readOnly() {
        return required("default_transaction_read_only").equals("on");
    }

    private String required(String name) {
        String value = get(name);
        return value == null ? "" : value;
    }

    void begin() {
        atBegin = Map.copyOf(values);
        local.clear();
    }

    /** Whether a variable has another value than before. */
    boolean end(boolean committed) {
        Map<String, String> before = Map.copyOf(values);
        if (!committed) {
            values.clear();
            values.putAll(atBegin);
        } else {
            local.forEach(
                    (key, value) -> {
                        if (value == null) {
                            values.remove(key);
                        } else {
                            values.put(key, value);
                        }
                    });
        }
        local.clear();
        return !before.equals(values);
    }

    void reset() {
        String user = get("session_authorization");
        values.clear();
        local.clear();
        if (user != null) {
            values.put("session_authorization", user);
        }
    }
}
