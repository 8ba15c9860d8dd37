package petrichor.frontends.datastore;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/**
 * {@code {"error": {"code", "message", "status", "details"}}}, the format of Google's REST APIs.
 */
final class JsonErrors {
    private static final String ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";

    private JsonErrors() {}

    static String of(Failure failure) {
        JsonObject info = new JsonObject();
        info.addProperty("@type", ERROR_INFO);
        info.addProperty("reason", failure.code().name());
        info.addProperty("domain", Failure.DOMAIN);
        JsonArray details = new JsonArray();
        details.add(info);
        JsonObject error = new JsonObject();
        error.addProperty("code", failure.httpStatus());
        error.addProperty("message", failure.text());
        error.addProperty("status", failure.code().name());
        error.add("details", details);
        JsonObject body = new JsonObject();
        body.add("error", error);
        return body.toString();
    }
}
