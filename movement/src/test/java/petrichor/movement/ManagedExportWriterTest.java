package petrichor.movement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

/** Tests that written exports can be read; shop-export/ was written by Google's classes. */
final class ManagedExportWriterTest {
    private static final ExportPart ALL = new ExportPart(null, null);
    private static final long START = 1_700_000_000_000_000L;

    @TempDir private Path folder;

    @Test
    void entitiesOfGooglesExportSurviveBeingWrittenAgain() throws Exception {
        List<Entity> entities = read(shopExport());
        Path overall = write(entities);
        assertThat(overall).isEqualTo(folder.resolve("out/out.overall_export_metadata"));
        assertThat(read(overall)).isEqualTo(entities);
        try (ManagedExport export = ManagedExport.open(overall)) {
            assertThat(export.entitiesTotal()).isEqualTo(entities.size());
        }
        assertThat(permissions(folder.resolve("out"))).isEqualTo("rwx------");
    }

    @Test
    void arraysKeepTheirOrderWhetherTheirElementsAreIndexedOrNot() throws Exception {
        ArrayValue.Builder mixed = ArrayValue.newBuilder();
        for (int i = 0; i < 6; i++) {
            mixed.addValues(Value.newBuilder().setIntegerValue(i).setExcludeFromIndexes(i % 2 > 0));
        }
        Entity entity =
                entity("a").toBuilder()
                        .putProperties("mixed", Value.newBuilder().setArrayValue(mixed).build())
                        .build();
        assertThat(read(write(List.of(entity)))).containsExactly(entity);
    }

    @Test
    void recordsMayEndAnywhereInABlock() throws Exception {
        List<Entity> entities = new ArrayList<>();
        for (int bytes = LogReader.BLOCK_BYTES - 120; bytes < LogReader.BLOCK_BYTES; bytes++) {
            entities.add(blob("b" + bytes, bytes));
        }
        assertThat(read(write(entities))).isEqualTo(entities);
    }

    @Test
    void longExportsAreCutIntoSeveralFiles() throws Exception {
        Path overall;
        try (ManagedExportWriter writer =
                ManagedExportWriter.create(folder.resolve("out"), START, 10_000)) {
            writer.begin(ALL);
            for (int i = 0; i < 30; i++) {
                writer.write(blob("b" + i, 1_000));
            }
            overall = writer.finish(START + 1);
        }
        assertThat(outputs(overall, "all_namespaces/all_kinds")).hasSize(3);
        assertThat(read(overall)).hasSize(30);
    }

    @Test
    void partsHaveSeparateFoldersForAnyName() throws Exception {
        List<ExportPart> parts =
                List.of(
                        new ExportPart("", "Task"),
                        new ExportPart("eu", "Task"),
                        new ExportPart(null, "../Ta/sk"),
                        new ExportPart(null, "é".repeat(700)),
                        new ExportPart(null, "é".repeat(701)));
        Path overall;
        try (ManagedExportWriter writer =
                ManagedExportWriter.create(folder.resolve("out"), START)) {
            for (ExportPart part : parts) {
                writer.begin(part);
                writer.write(entity("in " + parts.indexOf(part)));
            }
            overall = writer.finish(START + 1);
        }
        assertThat(outputs(overall, "default_namespace/kind_Task")).hasSize(1);
        assertThat(outputs(overall, "namespace_eu/kind_Task")).hasSize(1);
        assertThat(outputs(overall, "all_namespaces/kind_..%2fTa%2fsk")).hasSize(1);
        assertThat(read(overall)).hasSize(parts.size());
    }

    @Test
    void anExportThatIsNotFinishedLeavesNothing() {
        try (ManagedExportWriter writer =
                ManagedExportWriter.create(folder.resolve("out"), START)) {
            writer.begin(ALL);
            writer.write(entity("a"));
            assertThat(folder.resolve("out.incomplete")).isDirectory();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderIsNeverWrittenTwice() throws Exception {
        Path _ = write(List.of(entity("a")));
        assertThatThrownBy(() -> write(List.of(entity("a"))))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("a file of this name already exists");
    }

    private Path write(List<Entity> entities) {
        try (ManagedExportWriter writer =
                ManagedExportWriter.create(folder.resolve("out"), START)) {
            writer.begin(ALL);
            entities.forEach(writer::write);
            return writer.finish(START + 1);
        }
    }

    private static List<Entity> read(Path path) {
        List<Entity> entities = new ArrayList<>();
        try (ManagedExport export = ManagedExport.open(path)) {
            for (var next = export.next(); next != null; next = export.next()) {
                entities.add(((EntitySource.Good) next).entity());
            }
        }
        return entities;
    }

    private static List<Path> outputs(Path overall, String part) throws IOException {
        Path below = Objects.requireNonNull(overall.getParent()).resolve(part);
        try (Stream<Path> inside = Files.list(below)) {
            return inside.filter(file -> file.getFileName().toString().startsWith("output-"))
                    .toList();
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static Path shopExport() throws Exception {
        return Path.of(
                Objects.requireNonNull(ManagedExportTest.class.getResource("shop-export")).toURI());
    }

    private static Entity entity(String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId("p");
        key.addPathBuilder().setKind("Task").setName(name);
        return Entity.newBuilder().setKey(key).build();
    }

    private static Entity blob(String name, int bytes) {
        return entity(name).toBuilder()
                .putProperties(
                        "bytes",
                        Value.newBuilder()
                                .setBlobValue(ByteString.copyFrom(new byte[bytes]))
                                .setExcludeFromIndexes(true)
                                .build())
                .build();
    }
}
