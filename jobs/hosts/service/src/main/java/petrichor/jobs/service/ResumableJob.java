package petrichor.jobs.service;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * A job that stopped through no fault of its own and can be resumed. Data only.
 *
 * @param since when it stopped
 * @param until when its files are removed, at the latest
 * @param stagesDone how many stages of it need not run again
 * @param bytes of its files
 */
public record ResumableJob(
        String id,
        String name,
        Instant since,
        Instant until,
        int stagesDone,
        int stages,
        long bytes) {

    public JsonObject json() {
        return ProgressJson.of(message());
    }

    Progress.KeptJob message() {
        return Progress.KeptJob.newBuilder()
                .setId(id)
                .setName(name)
                .setStagesDone(stagesDone)
                .setStages(stages)
                .setBytes(bytes)
                .setSince(ProgressMessages.of(since))
                .setUntil(ProgressMessages.of(until))
                .build();
    }

    /** For the failure of a job that can be resumed. */
    String advice() {
        return stagesDone
                + " of "
                + stages
                + " stages are complete and their files are kept until "
                + until
                + "; resume with: petrichor job resume "
                + id
                + ", and this server's --host or --port";
    }
}
