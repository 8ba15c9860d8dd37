package petrichor.jobs.mapreduce;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.mapreduce.JobStatus;
import petrichor.jobs.jobgraph.JobCounters;

/**
 * Reports the ends of the jobs of a program that submits several: appends a line of JSON for each
 * to a file, for the process that runs the program.
 */
final class JobReport {
    /** Configuration key of the file's name. */
    static final String FILE = "petrichor.report";

    private JobReport() {}

    static JsonObject of(JobStatus status, JobCounters counted) {
        JsonObject json = new JsonObject();
        json.addProperty("id", status.getJobID().toString());
        json.addProperty("name", status.getJobName());
        json.addProperty("state", status.getState().name());
        if (!status.getFailureInfo().isEmpty()) {
            json.addProperty("failure", status.getFailureInfo());
        }
        JsonObject groups = new JsonObject();
        counted.groups()
                .forEach(
                        (name, counts) -> {
                            JsonObject group = new JsonObject();
                            counts.forEach(group::addProperty);
                            groups.add(name, group);
                        });
        json.add("counters", groups);
        return json;
    }

    /** A job does not fail because its report cannot be written. */
    static void add(Path file, JsonObject job) {
        try {
            Files.writeString(
                    file, job + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            System.getLogger(JobReport.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot write {0}: {1}", file, e);
        }
    }
}
