package petrichor.frontends.apps;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.AppliedFile;
import petrichor.apps.hosting.ServiceDefinitions;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexYaml;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueYaml;
import petrichor.services.queues.cron.CronJob;
import petrichor.services.queues.cron.CronYaml;
import petrichor.services.queues.dispatch.Dispatchers;

/**
 * Applies {@code queue.yaml}, {@code cron.yaml} and {@code index.yaml} of deployed apps to the
 * default database of their project. Thread-safe.
 */
public final class ProjectFiles implements ServiceDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectFiles.class);
    private static final String QUEUES = "queue.yaml";
    private static final String CRON = "cron.yaml";
    private static final String INDEXES = "index.yaml";

    private final Supplier<Dispatchers> dispatchers;
    private final Supplier<EntityDatabases> databases;

    /**
     * @param databases of the current data
     */
    public ProjectFiles(Supplier<Dispatchers> dispatchers, Supplier<EntityDatabases> databases) {
        this.dispatchers = dispatchers;
        this.databases = databases;
    }

    @Override
    public Set<String> files() {
        return Set.of(QUEUES, CRON, INDEXES);
    }

    @Override
    public Checked check(String project, Map<String, String> texts) {
        Optional<QueueYaml.Contents> queues =
                Optional.ofNullable(texts.get(QUEUES)).map(text -> QueueYaml.read(QUEUES, text));
        Optional<List<CronJob>> jobs =
                Optional.ofNullable(texts.get(CRON)).map(text -> CronYaml.parse(CRON, text));
        Optional<List<IndexDefinition>> indexes =
                Optional.ofNullable(texts.get(INDEXES)).map(text -> IndexYaml.parse(INDEXES, text));
        queues.ifPresent(file -> requireSameModes(project, file.queues()));
        return new ReadFiles(project, queues, jobs, indexes);
    }

    private void requireSameModes(String project, List<Queue> queues) {
        ProjectQueues existing = dispatchers.get().open(project);
        for (Queue queue : queues) {
            Optional<Queue> known = existing.queue(queue.name());
            if (known.isPresent() && known.get().mode() != queue.mode()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "{file}: the mode of the queue {queue} cannot change; delete the queue"
                                + " first, or use another name",
                        "file",
                        QUEUES,
                        "queue",
                        queue.name());
            }
        }
    }

    /** Files that are valid. */
    private final class ReadFiles implements Checked {
        private final String project;
        private final Optional<QueueYaml.Contents> queues;
        private final Optional<List<CronJob>> jobs;
        private final Optional<List<IndexDefinition>> indexes;

        ReadFiles(
                String project,
                Optional<QueueYaml.Contents> queues,
                Optional<List<CronJob>> jobs,
                Optional<List<IndexDefinition>> indexes) {
            this.project = project;
            this.queues = queues;
            this.jobs = jobs;
            this.indexes = indexes;
        }

        @Override
        public Optional<List<String>> queues() {
            return queues.map(file -> file.queues().stream().map(Queue::name).toList());
        }

        @Override
        public List<AppliedFile> apply(List<String> former) {
            List<AppliedFile> applied = new ArrayList<>();
            indexes.ifPresent(definitions -> applied.add(declare(project, definitions)));
            queues.ifPresent(file -> applied.add(define(project, file, former)));
            jobs.ifPresent(
                    all -> {
                        dispatchers.get().cronJobs(project).define(all);
                        applied.add(
                                new AppliedFile(
                                        CRON, all.stream().map(CronJob::url).toList(), List.of()));
                    });
            return applied;
        }
    }

    private AppliedFile define(String project, QueueYaml.Contents file, List<String> former) {
        ProjectQueues queues = dispatchers.get().open(project);
        queues.define(
                file.queues().stream()
                        .map(queue -> file.resume() ? queue : pausedAsBefore(queues, queue))
                        .toList());
        List<String> names = file.queues().stream().map(Queue::name).toList();
        Set<String> missing = new HashSet<>(former);
        names.forEach(missing::remove);
        missing.remove(Queue.DEFAULT);
        List<String> paused =
                missing.stream()
                        .sorted()
                        .filter(name -> queues.queue(name).isPresent())
                        .map(name -> queues.pause(name).name())
                        .toList();
        return new AppliedFile(QUEUES, names, paused);
    }

    private static Queue pausedAsBefore(ProjectQueues queues, Queue queue) {
        return queue.withPaused(queues.queue(queue.name()).map(Queue::paused).orElse(false));
    }

    /** Existing entities are added to the indexes in the background. */
    private AppliedFile declare(String project, List<IndexDefinition> definitions) {
        EntityDatabase database = databases.get().open(project, "");
        database.indexes().declare(definitions);
        if (database.indexes().unfinished()) {
            Thread.ofVirtual().name("indexes-" + project).start(() -> finish(database));
        }
        return new AppliedFile(
                INDEXES,
                definitions.stream().map(IndexDefinition::kind).distinct().toList(),
                List.of());
    }

    private static void finish(EntityDatabase database) {
        try {
            database.indexes().finish();
        } catch (NotOwner | PetrichorException e) {
            LOG.warn(
                    "an index of {} is not complete; it continues when the database is opened"
                            + " again: {}",
                    database.project(),
                    e.getMessage());
        }
    }
}
