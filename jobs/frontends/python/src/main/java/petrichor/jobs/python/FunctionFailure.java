package petrichor.jobs.python;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Converts a worker's report about a failed user function to an exception. Stateless. */
final class FunctionFailure {
    private FunctionFailure() {}

    static PetrichorException parse(String json) {
        try {
            var told = JsonParser.parseString(json).getAsJsonObject();
            String where = told.get("where").getAsString();
            String traceback = told.get("traceback").getAsString();
            return new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    told.get("message").getAsString()
                            + (where.isEmpty() ? "" : " (" + where + ")")
                            + (traceback.isEmpty() ? "" : "\n" + traceback),
                    Map.of("where", where));
        } catch (JsonParseException | IllegalStateException | NullPointerException wrong) {
            return PetrichorException.of(
                    ErrorCode.INTERNAL, "a Python worker failed: {json}", "json", json);
        }
    }
}
