package petrichor.jobs.entities;

import com.google.datastore.v1.Entity;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.movement.EntityImport;
import petrichor.movement.Progress;

/**
 * Writes records as entities of a kind, each field as the property of its name.
 *
 * <p>The field {@code __key__} is the entity's name (TEXT), its id (INT64) or its whole key (BYTES,
 * as {@link QuerySource} reads it). Then existing entities are replaced, and running the job again
 * is harmless; of records with equal keys an arbitrary one wins. Records without that field get new
 * ids: every run of the job adds its entities to those of the last one, which is logged.
 *
 * <p>While the job runs, entities are collected in files of {@code staging}, so that a job that
 * fails writes none. When all tasks have succeeded they are written in transactions of up to 500;
 * if the server refuses one, the job fails and reports how many were written.
 *
 * @param kind of the entities, unless records bring whole keys
 * @param unindexed properties that are in no index
 * @param staging a folder that exists only while the job runs
 */
public record EntitySink(
        EntityDatabase database, String kind, Set<String> unindexed, String staging)
        implements Sink {
    public EntitySink {
        unindexed = Set.copyOf(unindexed);
        if (kind.isBlank()) {
            throw PetrichorException.invalid("the sink needs the kind of its entities");
        }
    }

    /** All properties indexed; collected in the folder for temporary files. */
    public static EntitySink ofKind(EntityDatabase database, String kind) {
        var staging =
                Path.of(
                        System.getProperty("java.io.tmpdir"),
                        "petrichor-entities-" + UUID.randomUUID());
        return new EntitySink(database, kind, Set.of(), staging.toString());
    }

    /** Properties that no query uses; texts over 1,500 bytes must be among them. */
    public EntitySink unindexed(String... properties) {
        return new EntitySink(database, kind, Set.of(properties), staging);
    }

    @Override
    public String name() {
        return kind + " of " + database;
    }

    @Override
    public void check(RecordType type) {
        RecordToEntity.check(type);
        for (var property : unindexed) {
            if (type.fields().stream().noneMatch(field -> field.name().equals(property))) {
                throw PetrichorException.invalid(
                        "\"{property}\" cannot be left unindexed: it is not in {type}",
                        "property",
                        property,
                        "type",
                        type);
            }
        }
    }

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        if (!RecordToEntity.hasKey(type)) {
            System.getLogger(EntitySink.class.getName())
                    .log(
                            System.Logger.Level.INFO,
                            "{0}: records of {1} have no field {2}, so each record creates a new"
                                    + " entity in every run of the job",
                            name(),
                            type,
                            EntityToRecord.KEY);
        }
        Files.createDirectories(Path.of(staging));
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        var ids = new NewIds(database, kind);
        var toEntity = new RecordToEntity(database.partition(), kind, type, unindexed, ids);
        var out = new BufferedOutputStream(Files.newOutputStream(part(subtask)));
        return new StagingWriter(toEntity, ids, out);
    }

    private Path part(int subtask) {
        return Path.of(staging, "part-" + subtask);
    }

    @Override
    public void commit(int subtasks) throws IOException {
        try (var client = database.connect();
                var entities = new StagedEntities(Path.of(staging), subtasks)) {
            var options = new EntityImport.Options(database.name(), null, 1, null, false);
            switch (new EntityImport(client, options, Progress.SILENT).readFrom(entities)) {
                case EntityImport.Done _ -> {}
                case EntityImport.Stopped stopped ->
                        throw PetrichorException.of(
                                stopped.code(),
                                "{entities} entities were written to {name}, the rest failed:"
                                        + " {reason}",
                                "kind",
                                kind,
                                "entities",
                                stopped.entities(),
                                "name",
                                name(),
                                "reason",
                                stopped.reason());
            }
        } finally {
            clear();
        }
    }

    @Override
    public void abort(int subtasks) throws IOException {
        clear();
    }

    private void clear() throws IOException {
        var folder = Path.of(staging);
        if (Files.exists(folder)) {
            try (var below = Files.walk(folder)) {
                for (var each : below.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private static final class StagingWriter implements Writer {
        private final RecordToEntity toEntity;
        private final NewIds ids;
        private final OutputStream out;

        StagingWriter(RecordToEntity toEntity, NewIds ids, OutputStream out) {
            this.toEntity = toEntity;
            this.ids = ids;
            this.out = out;
        }

        @Override
        public void write(RecordView record) throws IOException {
            Entity entity = toEntity.entity(record);
            entity.writeDelimitedTo(out);
        }

        @Override
        public void finish() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            ids.close();
            out.close();
        }
    }
}
