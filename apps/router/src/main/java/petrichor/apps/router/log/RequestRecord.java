package petrichor.apps.router.log;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import petrichor.apps.router.table.VersionName;

/**
 * One request, as the log shows it.
 *
 * @param failure why the router itself answered with an error or aborted the response; empty if an
 *     instance or a file answered
 */
public record RequestRecord(
        Instant time, Ids ids, Server server, Request request, Response response, String failure) {
    /** Names of the request. */
    public record Ids(String request, String trace) {}

    /**
     * @param version empty if the host is unknown
     * @param instance empty if no instance answered
     */
    public record Server(Optional<VersionName> version, String instance) {}

    /**
     * @param uri with the query
     * @param bytes of the body
     */
    public record Request(String method, String host, String uri, Client client, long bytes) {}

    /**
     * @param protocol such as HTTP/2
     */
    public record Client(String address, String userAgent, String protocol) {}

    /**
     * @param status 0 if the client disconnected before there was a response
     * @param bytes of the body
     * @param latency from the first byte of the request to the last byte of the response
     * @param pending waiting for an instance
     */
    public record Response(int status, long bytes, Duration latency, Duration pending) {}

    /** One line without its end. */
    public String json() {
        StringBuilder json = new StringBuilder(512);
        append(json, new LogTime());
        return json.toString();
    }

    /** Appends it. */
    void append(StringBuilder json, LogTime times) {
        json.append("{\"time\":\"");
        times.append(json, time);
        json.append('"');
        text(json, "trace", ids.trace());
        text(json, "request", ids.request());
        server.version()
                .ifPresent(
                        name -> {
                            text(json, "app", name.app());
                            text(json, "service", name.service());
                            text(json, "version", name.version());
                        });
        if (!server.instance().isEmpty()) {
            text(json, "instance", server.instance());
        }
        text(json, "method", request.method());
        text(json, "host", request.host());
        text(json, "path", request.uri());
        text(json, "protocol", request.client().protocol());
        json.append(",\"status\":").append(response.status());
        json.append(",\"request_bytes\":").append(request.bytes());
        json.append(",\"response_bytes\":").append(response.bytes());
        json.append(",\"latency_us\":").append(response.latency().toNanos() / 1000);
        json.append(",\"pending_us\":").append(response.pending().toNanos() / 1000);
        text(json, "client", request.client().address());
        text(json, "user_agent", request.client().userAgent());
        if (!failure.isEmpty()) {
            text(json, "failure", failure);
        }
        json.append('}');
    }

    private static void text(StringBuilder json, String name, String value) {
        json.append(",\"").append(name).append("\":\"");
        JsonText.append(json, value);
        json.append('"');
    }
}
