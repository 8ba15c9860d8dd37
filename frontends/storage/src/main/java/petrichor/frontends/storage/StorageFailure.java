package petrichor.frontends.storage;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/**
 * A failed request as Cloud Storage reports it.
 *
 * @param status HTTP status
 * @param reason in the JSON API
 * @param code in the XML API
 */
record StorageFailure(int status, String reason, String code, String message) {
    static StorageFailure of(Throwable thrown, Trace trace) {
        CallFailure failure = CallFailure.of(thrown, trace);
        return of(failure.code(), failure.text());
    }

    /** The statuses differ from those of Google's other APIs: conditions are 412. */
    private static StorageFailure of(ErrorCode code, String text) {
        return switch (code) {
            case INVALID_ARGUMENT -> new StorageFailure(400, "invalid", "InvalidArgument", text);
            case UNAUTHENTICATED -> new StorageFailure(401, "required", "AccessDenied", text);
            case PERMISSION_DENIED -> new StorageFailure(403, "forbidden", "AccessDenied", text);
            case NOT_FOUND ->
                    new StorageFailure(
                            404,
                            "notFound",
                            text.contains("bucket does not exist") ? "NoSuchBucket" : "NoSuchKey",
                            text);
            case ALREADY_EXISTS ->
                    new StorageFailure(409, "conflict", "BucketNameUnavailable", text);
            case FAILED_PRECONDITION ->
                    new StorageFailure(412, "conditionNotMet", "PreconditionFailed", text);
            case RESOURCE_EXHAUSTED ->
                    new StorageFailure(429, "rateLimitExceeded", "SlowDown", text);
            case UNIMPLEMENTED -> new StorageFailure(501, "notImplemented", "NotImplemented", text);
            case INTERNAL -> new StorageFailure(500, "internalError", "InternalError", text);
            // Clients ask for the state of an upload, and retry.
            case ABORTED, UNAVAILABLE ->
                    new StorageFailure(503, "backendError", "ServiceUnavailable", text);
            case DEADLINE_EXCEEDED -> new StorageFailure(504, "backendError", "Timeout", text);
        };
    }

    Page.Answer json() {
        JsonObject one = new JsonObject();
        one.addProperty("message", message);
        one.addProperty("domain", "global");
        one.addProperty("reason", reason);
        JsonArray errors = new JsonArray();
        errors.add(one);
        JsonObject error = new JsonObject();
        error.addProperty("code", status);
        error.addProperty("message", message);
        error.add("errors", errors);
        JsonObject body = new JsonObject();
        body.add("error", error);
        return Page.Answer.json(status, body.toString()).with(headers());
    }

    Page.Answer xml() {
        return Page.Answer.encoded(
                        status,
                        "application/xml; charset=utf-8",
                        "<?xml version='1.0' encoding='UTF-8'?><Error><Code>"
                                + code
                                + "</Code><Message>"
                                + escaped(message)
                                + "</Message></Error>")
                .with(headers());
    }

    private Map<String, String> headers() {
        return Map.of("cache-control", "private, max-age=0");
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            switch (next) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                default -> escaped.append(next < ' ' ? ' ' : next);
            }
        }
        return escaped.toString();
    }
}
