package petrichor.apps.router;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.log.JsonText;
import petrichor.apps.router.table.ErrorPages;

/**
 * The page of an error that the router reports itself: the app's own page if it has one, otherwise
 * HTML or JSON, as the client prefers. It names the request's id, which is also in the log.
 */
record ErrorAnswer(byte[] content, String contentType) {
    static ErrorAnswer of(
            RouterFailure failure, String requestId, String accept, @Nullable ErrorPages own) {
        ErrorPages.Page page =
                own == null || failure.kind() == null ? null : own.page(failure.kind());
        if (page != null) {
            return new ErrorAnswer(page.content(), page.contentType());
        }
        HttpResponseStatus status = failure.status();
        return prefersJson(accept)
                ? text(json(status, failure.reason(), requestId), "application/json")
                : text(html(status, failure.reason(), requestId), "text/html; charset=utf-8");
    }

    private static ErrorAnswer text(String text, String contentType) {
        return new ErrorAnswer(text.getBytes(StandardCharsets.UTF_8), contentType);
    }

    private static boolean prefersJson(String accept) {
        return accept.contains("json") && !accept.contains("text/html");
    }

    private static String json(HttpResponseStatus status, String reason, String requestId) {
        StringBuilder json = new StringBuilder(256);
        json.append("{\"error\":{\"code\":").append(status.code()).append(",\"status\":\"");
        JsonText.append(json, status.reasonPhrase());
        json.append("\",\"message\":\"");
        JsonText.append(json, reason);
        json.append("\",\"request\":\"").append(requestId).append("\"}}\n");
        return json.toString();
    }

    private static String html(HttpResponseStatus status, String reason, String requestId) {
        return """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>%1$d %2$s</title></head>
        <body>
        <h1>%2$s</h1>
        <p>%3$s</p>
        <p>Request <code>%4$s</code></p>
        </body>
        </html>
        """
                .formatted(status.code(), status.reasonPhrase(), escaped(reason), requestId);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
