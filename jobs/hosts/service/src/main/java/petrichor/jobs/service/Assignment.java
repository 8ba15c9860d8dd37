package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The task of a job's process: a job to run, or to clean up.
 *
 * @param jar contains the program
 * @param folder for spill files
 * @param leases folder for the machines that the job leases
 * @param kept folder for the files needed to resume the job; null if it cannot be resumed
 * @param clean true to only remove the unpublished output of a killed run
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
