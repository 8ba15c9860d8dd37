package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.TextTable;
import petrichor.cli.console.Terminal;

/** Formats resumable jobs, as text and as JSON. Stateless. */
final class StoppedJobs {
    private StoppedJobs() {}

    static void print(List<JsonObject> jobs, boolean json, String none) {
        if (json) {
            jobs.forEach(System.out::println);
        } else {
            TextTable table = new TextTable(System.out);
            jobs.forEach(job -> table.row(row(job)));
            table.end();
        }
        if (jobs.isEmpty()) {
            Terminal.open(false).say(none);
        }
    }

    private static Map<String, String> row(JsonObject job) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("id", job.get("id").getAsString());
        row.put(
                "stages",
                job.get("stagesDone").getAsString() + " of " + job.get("stages").getAsString());
        row.put("bytes", job.get("bytes").getAsString());
        row.put("since", job.get("since").getAsString());
        if (job.has("until")) {
            row.put("until", job.get("until").getAsString());
        }
        return row;
    }

    static void warnOfParts(String why) {
        Terminal.open(false).complain("its unpublished results remain in: " + why);
    }
}
