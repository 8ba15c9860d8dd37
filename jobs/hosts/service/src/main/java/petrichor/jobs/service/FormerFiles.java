package petrichor.jobs.service;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Set;

/**
 * Reads {@code job.json} and {@code history.jsonl} as versions before {@code progress.proto} wrote
 * them: the members of the submission were those of the job, and {@code started} was called {@code
 * begun}. Stateless.
 */
final class FormerFiles {
    private static final String FORMER_STARTED = "begun";
    private static final String SUBMISSION = "submission";
    private static final Set<String> MOVED =
            Set.of(
                    "class",
                    "arguments",
                    "workers",
                    "backend",
                    "learned",
                    "trial",
                    "elastic",
                    "parallelism",
                    "cloud");

    private FormerFiles() {}

    /** The snapshot in its present form; the same object if it has that. */
    static JsonObject snapshot(JsonObject json) {
        JsonObject renamed = ended(json);
        if (renamed.has(SUBMISSION) || !renamed.has("arguments")) {
            return renamed;
        }
        JsonObject present = new JsonObject();
        JsonObject submission = new JsonObject();
        for (String name : renamed.keySet()) {
            JsonElement value = renamed.get(name);
            (MOVED.contains(name) ? submission : present).add(name, value);
        }
        present.add(SUBMISSION, submission);
        return present;
    }

    /** The line of the history in its present form; the same object if it has that. */
    static JsonObject ended(JsonObject json) {
        if (!json.has(FORMER_STARTED)) {
            return json;
        }
        JsonObject present = new JsonObject();
        for (String name : json.keySet()) {
            present.add(name.equals(FORMER_STARTED) ? "started" : name, json.get(name));
        }
        return present;
    }
}
