package petrichor.frontends.http;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;

/**
 * A request to a page whose body is a JSON object with the name of an action and what it applies
 * to, usually a database.
 *
 * @param caller authorizes the request
 */
public record ActionRequest(JsonObject body, AccessAttempt caller) {
    /**
     * Answers 200 with the result; otherwise, with the code and the text of the failure.
     *
     * @param action fails with {@link PetrichorException}
     */
    public static Page.Answer answer(
            Page.Request request, Function<ActionRequest, JsonObject> action) {
        try {
            ActionRequest asked = new ActionRequest(parsed(request.body()), request.attempt());
            JsonObject result = action.apply(asked);
            return Page.Answer.json(200, result + "\n");
        } catch (PetrichorException refused) {
            JsonObject error = new JsonObject();
            error.addProperty("status", refused.code().name());
            error.addProperty("message", refused.getMessage());
            JsonObject body = new JsonObject();
            body.add("error", error);
            return Page.Answer.json(
                    refused.code() == ErrorCode.UNAVAILABLE ? 503 : 400, body + "\n");
        }
    }

    private static JsonObject parsed(byte[] body) {
        try {
            if (JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException malformed) {
            // The same answer as for other JSON.
        }
        throw PetrichorException.invalid("The body must be a JSON object with an action.");
    }

    public String action() {
        return text("action");
    }

    /** The value of a field; empty if it is missing or has parts. */
    public String text(String field) {
        return body.get(field) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    /** Whether a field is set to true. */
    public boolean flag(String field) {
        return body.get(field) instanceof JsonPrimitive value && value.getAsBoolean();
    }
}
