package petrichor.jobs.service;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * A job that stopped through no fault of its own and can be gone on with. Data only.
 *
 * @param since when it stopped
 * @param until when its files are removed, if there is room until then
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
        JsonObject json = new JsonObject();
        json.addProperty("id", id);
        json.addProperty("name", name);
        json.addProperty("stagesDone", stagesDone);
        json.addProperty("stages", stages);
        json.addProperty("bytes", bytes);
        json.addProperty("since", since.toString());
        json.addProperty("until", until.toString());
        return json;
    }

    /** What somebody is told who may not know that a job can be gone on with. */
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

    /** The job as the history has it, and whether it can be gone on with. */
    static JsonObject json(JobRecord job, ResumableJobs kept) {
        JsonObject json = HistoryFile.json(job);
        kept.find(job.id()).ifPresent(one -> json.add("kept", one.json()));
        return json;
    }
}
