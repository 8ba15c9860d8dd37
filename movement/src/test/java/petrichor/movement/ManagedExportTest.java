package petrichor.movement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

/** Tests with the export in shop-export/, which make-shop-export.py wrote with Google's classes. */
final class ManagedExportTest {
    private static final String OUTPUT = "all_namespaces/all_kinds/output-";

    @Test
    void everyEntityOfTheExportIsReadOnceAndInOrder() throws Exception {
        List<Entity> entities = entities(shopExport());
        assertThat(entities).hasSize(42);
        assertThat(entities.get(0).getKey().getPartitionId().getProjectId()).isEqualTo("shop");
        assertThat(entities.get(0).getKey().getPathList())
                .extracting(e -> e.getKind() + e.getName() + e.getId())
                .containsExactly("Customerann0", "Order4503599627370497");
        for (int i = 1; i < 40; i++) {
            Entity item = entities.get(1 + i);
            assertThat(item.getKey().getPartitionId().getNamespaceId()).isEqualTo("stock");
            assertThat(item.getKey().getPath(0).getId()).isEqualTo(i);
            assertThat(item.getPropertiesOrThrow("n").getIntegerValue()).isEqualTo(i);
        }
        assertThat(entities.get(41).getKey().getPartitionId().getDatabaseId()).isEqualTo("archive");
    }

    @Test
    void theMetadataFileMayBeNamedInsteadOfTheFolder() throws Exception {
        assertThat(entities(shopExport().resolve("shop-export.overall_export_metadata")))
                .hasSize(42);
    }

    @Test
    void aFolderOfOutputFilesAloneIsReadToo(@TempDir Path folder) throws Exception {
        Files.copy(shopExport().resolve(OUTPUT + "1"), folder.resolve("output-1"));
        assertThat(entities(folder)).hasSize(37);
    }

    @Test
    void aFolderWithNestedExportsIsNotAnExport(@TempDir Path folder) throws Exception {
        Path deep = Files.createDirectories(folder.resolve("backups/2026/shop/all_kinds"));
        Files.copy(shopExport().resolve(OUTPUT + "1"), deep.resolve("output-1"));
        assertThatThrownBy(() -> ManagedExport.open(folder))
                .hasMessageContaining("contains no managed export");
    }

    @Test
    void everyPropertyTypeIsConvertedAsByGoogle() throws Exception {
        Entity order = entities(shopExport()).getFirst();
        assertThat(order.getPropertiesMap().keySet()).hasSize(21);
        assertThat(value(order, "null").hasNullValue()).isTrue();
        assertThat(value(order, "yes").getBooleanValue()).isTrue();
        assertThat(value(order, "count").getIntegerValue()).isEqualTo(Long.MIN_VALUE);
        assertThat(value(order, "price").getDoubleValue()).isEqualTo(19.99);
        assertThat(value(order, "title").getStringValue()).isEqualTo("Grüße 😀");
        assertThat(value(order, "title").getExcludeFromIndexes()).isFalse();
        assertThat(value(order, "notes").getStringValue()).startsWith("long long").hasSize(150);
        assertThat(value(order, "notes").getMeaning()).isEqualTo(15);
        assertThat(value(order, "notes").getExcludeFromIndexes()).isTrue();
        assertThat(hex(value(order, "raw"))).isEqualTo("0001feff");
        assertThat(value(order, "raw").getMeaning()).isZero();
        assertThat(hex(value(order, "token"))).isEqualTo("00ff");
        assertThat(value(order, "token").getMeaning()).isZero();
        assertThat(value(order, "token_raw").getMeaning()).isEqualTo(16);
        assertThat(value(order, "packed").getMeaning()).isEqualTo(22);
        assertThat(hex(value(order, "packed"))).isEqualTo("789c0300");
        assertThat(value(order, "ordered_at").getTimestampValue())
                .isEqualTo(timestamp(1_700_000_000L, 123_456_000));
        assertThat(value(order, "old").getTimestampValue()).isEqualTo(timestamp(-2, 500_000_000));
        assertThat(value(order, "url").getMeaning()).isEqualTo(2);
        assertThat(value(order, "place").getGeoPointValue().getLatitude()).isEqualTo(38.7);
        assertThat(value(order, "place").getGeoPointValue().getLongitude()).isEqualTo(-9.1);
        assertThat(value(order, "place").getMeaning()).isZero();
        assertThat(value(order, "place_plain").getMeaning()).isEqualTo(23);
        assertThat(value(order, "nothing").hasArrayValue()).isTrue();
        assertThat(value(order, "nothing").getArrayValue().getValuesList()).isEmpty();
    }

    @Test
    void nestedKeysUsersListsAndEntitiesAreComplete() throws Exception {
        Entity order = entities(shopExport()).getFirst();
        Value user = value(order, "by");
        assertThat(user.getMeaning()).isEqualTo(20);
        assertThat(user.getEntityValue().getPropertiesMap().keySet())
                .containsExactlyInAnyOrder("email", "auth_domain", "user_id");
        assertThat(value(order, "buyer").getKeyValue().getPartitionId().getProjectId())
                .isEqualTo("shop");
        assertThat(value(order, "buyer").getKeyValue().getPath(0).getName()).isEqualTo("ann");
        assertThat(value(order, "supplier").getKeyValue().getPartitionId().getProjectId())
                .isEqualTo("wholesale");
        assertThat(value(order, "supplier").getKeyValue().getPartitionId().getNamespaceId())
                .isEqualTo("eu");
        assertThat(value(order, "supplier").getKeyValue().getPath(0).getId()).isEqualTo(12);
        assertThat(value(order, "tags").getArrayValue().getValuesList())
                .extracting(Value::getStringValue)
                .containsExactly("b", "a", "b", "the long one");
        assertThat(value(order, "tags").getArrayValue().getValues(3).getExcludeFromIndexes())
                .isTrue();
        Value address = value(order, "address");
        assertThat(address.getExcludeFromIndexes()).isTrue();
        assertThat(address.getEntityValue().hasKey()).isFalse();
        assertThat(address.getEntityValue().getPropertiesOrThrow("street").getStringValue())
                .isEqualTo("Rua 1");
        assertThat(address.getEntityValue().getPropertiesOrThrow("zip").getExcludeFromIndexes())
                .isTrue();
    }

    @Test
    void anEntityLongerThanABlockIsPutTogetherAgain() throws Exception {
        ByteString bytes =
                entities(shopExport()).get(1).getPropertiesOrThrow("bytes").getBlobValue();
        assertThat(bytes.size()).isEqualTo(76_800);
        for (int i = 0; i < bytes.size(); i++) {
            assertThat(bytes.byteAt(i)).isEqualTo((byte) i);
        }
    }

    @Test
    void everyFlippedByteIsNoticed(@TempDir Path folder) throws Exception {
        Path output = copyExport(folder).resolve(OUTPUT + "1");
        byte[] whole = Files.readAllBytes(output);
        for (int at = 0; at < whole.length; at += 13) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x40;
            Files.write(output, damaged);
            assertThatThrownBy(() -> entities(folder))
                    .as("byte %d flipped", at)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("output-1 is damaged near byte");
        }
    }

    @Test
    void aFileThatEndsEarlyIsNoticed(@TempDir Path folder) throws Exception {
        Path output = copyExport(folder).resolve(OUTPUT + "1");
        byte[] whole = Files.readAllBytes(output);
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(output, java.util.Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> entities(folder))
                    .as("cut to %d bytes", length)
                    .isInstanceOf(PetrichorException.class);
        }
    }

    @Test
    void anOutputFileThatIsMissingIsNamed(@TempDir Path folder) throws Exception {
        Files.delete(copyExport(folder).resolve(OUTPUT + "0"));
        assertThatThrownBy(() -> entities(folder)).hasMessageContaining("output-0");
    }

    @Test
    void aFolderWithoutAnExportIsRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> ManagedExport.open(folder))
                .hasMessageContaining("contains no managed export");
    }

    @Test
    void metadataMustNotLeadOutOfTheFolder(@TempDir Path folder) throws Exception {
        Path metadata =
                copyExport(folder)
                        .resolve(
                                "all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata");
        // Field 2 contains field 2, the name of an output file.
        byte[] name = "../../../secret".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Files.write(
                metadata,
                ByteString.copyFrom(new byte[] {0x12, (byte) (name.length + 2), 0x12})
                        .concat(ByteString.copyFrom(new byte[] {(byte) name.length}))
                        .concat(ByteString.copyFrom(name))
                        .toByteArray(),
                StandardOpenOption.TRUNCATE_EXISTING);
        assertThatThrownBy(() -> entities(folder)).hasMessageContaining("outside of the export");
    }

    private static Path shopExport() throws URISyntaxException {
        return Path.of(
                Objects.requireNonNull(ManagedExportTest.class.getResource("shop-export")).toURI());
    }

    private static Path copyExport(Path to) throws IOException, URISyntaxException {
        Path from = shopExport();
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
        return to;
    }

    private static List<Entity> entities(Path path) {
        List<Entity> entities = new ArrayList<>();
        try (ManagedExport export = ManagedExport.open(path)) {
            for (EntitySource.Entry entry = export.next(); entry != null; entry = export.next()) {
                entities.add(((EntitySource.Good) entry).entity());
            }
            assertThat(export.bytesRead()).isEqualTo(export.bytesTotal());
        }
        return entities;
    }

    private static Value value(Entity entity, String name) {
        return entity.getPropertiesOrThrow(name);
    }

    private static String hex(Value value) {
        return HexFormat.of().formatHex(value.getBlobValue().toByteArray());
    }

    private static Timestamp timestamp(long seconds, int nanos) {
        return Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    }
}
