package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a job's process is told to run.
 *
 * @param jar with the program
 * @param folder for what the job spills
 * @param leases folder for the machines that it leases
 * @param kept folder for what it can be gone on with; null if it cannot
 * @param clean not the job, only to remove what it left when its process was killed
 */
record Assignment(
        Path jar,
        Path folder,
        Path leases,
        @Nullable Path kept,
        Submission submission,
        boolean clean) {

    /** In one line. */
    String json() {
        JsonObject json = new JsonObject();
        json.addProperty("jar", jar.toString());
        json.addProperty("folder", folder.toString());
        json.addProperty("leases", leases.toString());
        EventJson.add(json, "kept", kept == null ? null : kept.toString());
        json.addProperty("clean", clean);
        submission.addTo(json);
        return json.toString();
    }

    static Assignment parse(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        String kept = EventJson.find(json, "kept");
        return new Assignment(
                Path.of(EventJson.text(json, "jar")),
                Path.of(EventJson.text(json, "folder")),
                Path.of(EventJson.text(json, "leases")),
                kept == null ? null : Path.of(kept),
                Submission.of(json),
                json.get("clean").getAsBoolean());
    }
}
