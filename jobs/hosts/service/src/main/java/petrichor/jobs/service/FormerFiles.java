package petrichor.jobs.service;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Set;

/**
 * Reads {@code job.json} as versions before {@code progress.proto} wrote it: the members of the
 * submission were those of the job. Lines of {@code history.jsonl} have not changed. Stateless.
 */
final class FormerFiles {
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
        if (json.has(SUBMISSION) || !json.has("arguments")) {
            return json;
        }
        JsonObject present = new JsonObject();
        JsonObject submission = new JsonObject();
        for (String name : json.keySet()) {
            JsonElement value = json.get(name);
            (MOVED.contains(name) ? submission : present).add(name, value);
        }
        present.add(SUBMISSION, submission);
        return present;
    }
}
