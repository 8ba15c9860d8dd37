package petrichor.frontends.tasks;

import java.util.List;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.tasks.wire.AppliedDefinitions;
import petrichor.frontends.tasks.wire.DefinitionFile;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueYaml;
import petrichor.services.queues.cron.CronJob;
import petrichor.services.queues.cron.CronYaml;
import petrichor.services.queues.dispatch.Dispatchers;

/** Applies App Engine's files {@code queue.yaml} and {@code cron.yaml}. Thread-safe. */
record Definitions(Dispatchers dispatchers) {
    private static final String SERVICE = "petrichor.tasks.v1.Definitions";

    /** Defines the queues of the file; others stay. */
    AppliedDefinitions queues(DefinitionFile file) {
        List<Queue> queues = QueueYaml.parse("queue.yaml", file.getText());
        dispatchers.open(file.getProject()).define(queues);
        return AppliedDefinitions.newBuilder()
                .addAllNames(queues.stream().map(Queue::name).toList())
                .build();
    }

    /** Replaces the cron jobs of the app. */
    AppliedDefinitions cron(DefinitionFile file) {
        List<CronJob> jobs = CronYaml.parse("cron.yaml", file.getText());
        dispatchers.cronJobs(file.getProject()).define(jobs);
        return AppliedDefinitions.newBuilder()
                .addAllNames(jobs.stream().map(CronJob::url).toList())
                .build();
    }

    ApiMethod<DefinitionFile, AppliedDefinitions> queuesMethod() {
        return ApiMethod.of(
                SERVICE + "/Queues",
                DefinitionFile.getDefaultInstance(),
                AppliedDefinitions.getDefaultInstance(),
                Role.ADMIN,
                DefinitionFile::getProject,
                this::queues);
    }

    ApiMethod<DefinitionFile, AppliedDefinitions> cronMethod() {
        return ApiMethod.of(
                SERVICE + "/Cron",
                DefinitionFile.getDefaultInstance(),
                AppliedDefinitions.getDefaultInstance(),
                Role.ADMIN,
                DefinitionFile::getProject,
                this::cron);
    }
}
