package petrichor.frontends.access;

import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit log. Contains names and codes only: no parameters, bodies or tokens.
 *
 * @param token name of the caller's token; null for a request without a valid one
 * @param from address of the connection's peer; null if unknown
 */
record AuditRecord(
        long epochMillis,
        @Nullable String token,
        @Nullable InetSocketAddress from,
        String protocol,
        String method,
        String project,
        String database,
        String outcome) {
    /**
     * Limit for texts chosen by clients, such as paths and project ids, which are not validated
     * yet.
     */
    static final int TEXT_CHARACTERS_MAX = 200;

    AuditRecord {
        method = cut(method);
        project = cut(project);
        database = cut(database);
    }

    private static String cut(String text) {
        return text.length() <= TEXT_CHARACTERS_MAX
                ? text
                : text.substring(0, TEXT_CHARACTERS_MAX) + "…";
    }

    /** One line, including the line feed. */
    String json() {
        JsonObject line = new JsonObject();
        line.addProperty("time", Instant.ofEpochMilli(epochMillis).toString());
        line.addProperty("token", token);
        if (from != null) {
            line.addProperty("address", from.getAddress().getHostAddress());
            line.addProperty("port", from.getPort());
        }
        line.addProperty("protocol", protocol);
        line.addProperty("method", method);
        if (!project.isEmpty()) {
            line.addProperty("project", project);
            line.addProperty("database", database.isEmpty() ? Scope.DEFAULT_DATABASE : database);
        }
        line.addProperty("outcome", outcome);
        return line + "\n";
    }
}
