package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;

/**
 * What a job's process is told to run.
 *
 * @param jar with the program
 * @param folder for what the job spills
 * @param clean not the job, only to remove what it left when its process was killed
 */
record Assignment(Path jar, Path folder, Submission submission, boolean clean) {

    /** In one line. */
    String json() {
        JsonObject json = new JsonObject();
        json.addProperty("jar", jar.toString());
        json.addProperty("folder", folder.toString());
        json.addProperty("clean", clean);
        submission.addTo(json);
        return json.toString();
    }

    static Assignment parse(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        return new Assignment(
                Path.of(EventJson.text(json, "jar")),
                Path.of(EventJson.text(json, "folder")),
                Submission.of(json),
                json.get("clean").getAsBoolean());
    }
}
