package petrichor.cli.jobs;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;

/**
 * Resumes or discards a job of a server.
 *
 * @param json print JSON objects
 */
record ResumeAtServer(ServerAddress address, boolean json, boolean quiet) {

    /**
     * @param id null lists the resumable jobs
     */
    int call(@Nullable String id, boolean givesUp, boolean detach) throws InterruptedException {
        try (ServerAddress.Connection connection = address.connect(false);
                JobPages pages = JobPages.of(connection, address)) {
            if (id == null) {
                return list(pages);
            }
            return givesUp ? giveUp(pages, id) : resume(pages, id, detach);
        }
    }

    private int list(JobPages pages) throws InterruptedException {
        List<JsonObject> all = new ArrayList<>();
        for (JsonElement each : pages.read("/kept").getAsJsonArray("jobs")) {
            all.add(each.getAsJsonObject());
        }
        StoppedJobs.print(all, json, "this server has no resumable jobs");
        return ExitCode.OK.number();
    }

    private int giveUp(JobPages pages, String id) throws InterruptedException {
        JsonObject done = pages.giveUp(id);
        if (json) {
            System.out.println(done);
        } else if (done.has("left")) {
            StoppedJobs.warnOfParts(done.get("left").getAsString());
        }
        return ExitCode.OK.number();
    }

    private int resume(JobPages pages, String id, boolean detach) throws InterruptedException {
        FollowedJob followed = new FollowedJob(json, quiet);
        String own = pages.resume(id).get("id").getAsString();
        if (detach) {
            System.out.println(own);
            return ExitCode.OK.number();
        }
        followed.say("job " + own + " resumes " + id);
        return followed.follow(pages, own);
    }
}
