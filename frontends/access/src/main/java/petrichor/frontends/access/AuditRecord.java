package petrichor.frontends.access;

import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit log. Holds names and codes only: no parameters, no bodies, no tokens.
 *
 * @param token name of the caller's token; null for a request without a valid one
 * @param from the connection's other end; null if it is not known
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
    /** Clients choose paths and project ids, before anybody checks them. */
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

    /** One line, with its end. */
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
