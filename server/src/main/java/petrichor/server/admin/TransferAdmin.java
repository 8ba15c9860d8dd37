package petrichor.server.admin;

import com.google.datastore.admin.v1.CommonMetadata;
import com.google.datastore.admin.v1.ExportEntitiesMetadata;
import com.google.datastore.admin.v1.ExportEntitiesRequest;
import com.google.datastore.admin.v1.ExportEntitiesResponse;
import com.google.datastore.admin.v1.ImportEntitiesMetadata;
import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.admin.v1.OperationType;
import com.google.longrunning.Operation;
import com.google.protobuf.Any;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.entities.EntityWalk;
import petrichor.frontends.access.Caller;
import petrichor.movement.EntityImport;
import petrichor.movement.EntitySource;
import petrichor.movement.ExportPart;
import petrichor.movement.ManagedExport;
import petrichor.movement.ManagedExportWriter;

/**
 * ExportEntities and ImportEntities of google.datastore.admin.v1, between the default database of a
 * project and folders in the format of Google's managed exports. An export has the state at its
 * start, and gets its final name when it is complete. An import upserts entities one by one;
 * entities written before it fails or is cancelled remain. Thread-safe.
 */
final class TransferAdmin {
    static final List<Class<? extends Message>> METADATA =
            List.of(ExportEntitiesMetadata.class, ImportEntitiesMetadata.class);

    private static final String OVERALL = ".overall_export_metadata";
    private static final DateTimeFormatter FOLDER_NAME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss_SSSSSS").withZone(ZoneOffset.UTC);

    private final Supplier<Datastore> datastore;
    private final TransferFolder folder;
    private final Transfers transfers;
    private final TimeSource time;

    TransferAdmin(
            Supplier<Datastore> datastore,
            TransferFolder folder,
            Transfers transfers,
            TimeSource time) {
        this.datastore = datastore;
        this.folder = folder;
        this.transfers = transfers;
        this.time = time;
    }

    Operation export(ExportEntitiesRequest request) {
        EntityFilterScope scope = EntityFilterScope.of(request.getEntityFilter());
        Path prefix = folder.resolve("output_url_prefix", request.getOutputUrlPrefix());
        long start = time.epochMicros();
        Path to =
                prefix.resolve(
                        FOLDER_NAME.format(
                                Instant.EPOCH
                                        .plusSeconds(start / 1_000_000)
                                        .plusNanos(start % 1_000_000 * 1_000)));
        return transfers.begin(
                request.getProjectId(),
                OperationType.EXPORT_ENTITIES,
                request.getLabelsMap(),
                (common, entities, bytes) ->
                        ExportEntitiesMetadata.newBuilder()
                                .setCommon(common)
                                .setProgressEntities(entities)
                                .setProgressBytes(bytes)
                                .setEntityFilter(request.getEntityFilter())
                                .setOutputUrlPrefix(to.toUri().toString())
                                .build(),
                progress -> export(request.getProjectId(), scope, to, start, progress));
    }

    private Message export(
            String project,
            EntityFilterScope scope,
            Path to,
            long start,
            TransferProgress progress) {
        List<ExportPart> parts = scope.parts();
        try (EntityWalk walk = EntityWalk.open(datastore.get().databases().open(project, ""));
                ManagedExportWriter writer = ManagedExportWriter.create(to, start)) {
            long[] estimated = {0};
            for (ExportPart part : parts) {
                estimated[0] += walk.count(part.namespace(), part.kind(), progress::check);
            }
            long[] written = {0};
            for (ExportPart part : parts) {
                writer.begin(part);
                walk.forEach(
                        part.namespace(),
                        part.kind(),
                        entity -> {
                            progress.check();
                            writer.write(entity);
                            written[0]++;
                            progress.moved(
                                    written[0],
                                    estimated[0],
                                    writer.bytes(),
                                    (long) ((double) writer.bytes() / written[0] * estimated[0]));
                        });
            }
            progress.check();
            Path overall = writer.finish(time.epochMicros());
            return ExportEntitiesResponse.newBuilder()
                    .setOutputUrl(overall.toUri().toString())
                    .build();
        }
    }

    /**
     * PERMISSION_DENIED for an export from a database outside the caller's scope: immediately if
     * the first entity is from one, otherwise as the failure of the operation.
     */
    Operation importFrom(ImportEntitiesRequest request, Caller caller) {
        EntityFilterScope scope = EntityFilterScope.of(request.getEntityFilter());
        Path from = folder.resolve("input_url", request.getInputUrl());
        if (!from.toString().endsWith(OVERALL)) {
            throw PetrichorException.invalid(
                    "input_url must name the file *" + OVERALL + " of an export.");
        }
        // Fails early if the export cannot be read.
        AuthorizedSource.requireFirst(ManagedExport.open(from), caller);
        return transfers.begin(
                request.getProjectId(),
                OperationType.IMPORT_ENTITIES,
                request.getLabelsMap(),
                (common, entities, bytes) ->
                        ImportEntitiesMetadata.newBuilder()
                                .setCommon(common)
                                .setProgressEntities(entities)
                                .setProgressBytes(bytes)
                                .setEntityFilter(request.getEntityFilter())
                                .setInputUrl(request.getInputUrl())
                                .build(),
                progress ->
                        importFrom(
                                request.getProjectId(),
                                from,
                                export ->
                                        new FilteredSource(
                                                new AuthorizedSource(export, caller),
                                                scope,
                                                progress),
                                progress));
    }

    private Message importFrom(
            String project,
            Path from,
            UnaryOperator<EntitySource> wanted,
            TransferProgress progress) {
        try (ManagedExport export = ManagedExport.open(from)) {
            EntityImport.Outcome outcome =
                    new EntityImport(
                                    new LocalTarget(datastore.get()),
                                    new EntityImport.Options(
                                            new DatabaseName(project, ""), null, 1, null, false),
                                    (entities, bytes, total) ->
                                            progress.moved(
                                                    entities, export.entitiesTotal(), bytes, total))
                            .readFrom(wanted.apply(export));
            return switch (outcome) {
                case EntityImport.Done _ -> Empty.getDefaultInstance();
                case EntityImport.Stopped stopped ->
                        throw PetrichorException.of(
                                stopped.code(),
                                "{place}: {reason}",
                                "place",
                                stopped.place(),
                                "reason",
                                stopped.reason());
            };
        }
    }

    /** The metadata of an operation that failed because its server stopped. */
    static Any failed(Any metadata, Timestamp at) {
        try {
            if (metadata.is(ExportEntitiesMetadata.class)) {
                ExportEntitiesMetadata.Builder export =
                        metadata.unpack(ExportEntitiesMetadata.class).toBuilder();
                fail(export.getCommonBuilder(), at);
                return Any.pack(export.build());
            }
            ImportEntitiesMetadata.Builder source =
                    metadata.unpack(ImportEntitiesMetadata.class).toBuilder();
            fail(source.getCommonBuilder(), at);
            return Any.pack(source.build());
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "The list of operations is damaged.");
        }
    }

    private static void fail(CommonMetadata.Builder common, Timestamp at) {
        common.setState(CommonMetadata.State.FAILED).setEndTime(at);
    }
}
