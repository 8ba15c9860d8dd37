package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a job's process shall run.
 *
 * @param jar with the program
 * @param folder for what the job spills
 * @param leases folder for the machines that it leases
 * @param kept folder for what it can be resumed from; null if it cannot
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
        if (kept != null) {
            json.addProperty("kept", kept.toString());
        }
        json.addProperty("clean", clean);
        json.add("submission", submission.json());
        return json.toString();
    }

    static Assignment parse(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        return new Assignment(
                Path.of(text(json, "jar")),
                Path.of(text(json, "folder")),
                Path.of(text(json, "leases")),
                json.has("kept") ? Path.of(text(json, "kept")) : null,
                StatusMessages.submission(
                        ProgressJson.parse(
                                        json.getAsJsonObject("submission"),
                                        Progress.Submission.newBuilder())
                                .build()),
                json.get("clean").getAsBoolean());
    }

    private static String text(JsonObject json, String name) {
        return json.get(name).getAsString();
    }
}
