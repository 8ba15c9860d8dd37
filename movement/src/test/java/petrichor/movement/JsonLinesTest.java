package petrichor.movement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.type.LatLng;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.movement.EntitySource.Bad;
import petrichor.movement.EntitySource.Entry;
import petrichor.movement.EntitySource.Good;

final class JsonLinesTest {
    private static final String CITY =
            "{\"key\":{\"path\":[{\"kind\":\"City\",\"name\":\"Lisboa\"}]}}";

    @Test
    void everyTypeOfValueRoundTrips() {
        Entity entity = everyType();
        String line = EntityJson.line(entity);
        assertThat(line).doesNotContain("\n");
        assertThat(entities(line)).containsExactly(entity);
    }

    @Test
    void emptyLinesAreCounted() {
        List<Entry> entries = entries("\n" + CITY + "\r\n\n  \n" + CITY);
        assertThat(entries).extracting(e -> e.place().toString()).containsExactly("in:2", "in:5");
    }

    @Test
    void aBadLineReportsItsErrorAndReadingContinues() {
        List<Entry> entries = entries("{\"key\":\n" + CITY + "\n{\"name\":1}\n{}\n" + CITY + "\n");
        assertThat(entries).hasSize(5);
        assertThat(entries.get(0)).isInstanceOf(Bad.class);
        assertThat(((Bad) entries.get(0)).text()).isEqualTo("{\"key\":");
        assertThat(entries.get(1)).isInstanceOf(Good.class);
        assertThat(((Bad) entries.get(2)).reason()).contains("name");
        assertThat(((Bad) entries.get(3)).reason()).isEqualTo("the entity has no key");
        assertThat(entries.get(4)).isInstanceOf(Good.class);
    }

    @Test
    void anIncompleteKeyIsBad() {
        assertThat(entries("{\"key\":{\"path\":[{\"kind\":\"City\"}]}}"))
                .singleElement()
                .isInstanceOfSatisfying(
                        Bad.class, bad -> assertThat(bad.reason()).contains("incomplete"));
    }

    @Test
    void aLineThatIsNotUtf8IsBad() {
        byte[] latin1 = CITY.replace("Lisboa", "Évora").getBytes(StandardCharsets.ISO_8859_1);
        try (JsonLines lines = JsonLines.of("in", new ByteArrayInputStream(latin1))) {
            assertThat(lines.next())
                    .isInstanceOfSatisfying(
                            Bad.class, bad -> assertThat(bad.reason()).contains("not UTF-8"));
        }
    }

    @Test
    void aLineWithoutEndIsBadAndNotKeptInMemory() {
        byte[] endless = new byte[JsonLines.LINE_BYTES_MAX + 100];
        java.util.Arrays.fill(endless, (byte) 'x');
        endless[endless.length - 1] = '\n';
        try (JsonLines lines = JsonLines.of("in", new ByteArrayInputStream(endless))) {
            assertThat(lines.next())
                    .isInstanceOfSatisfying(
                            Bad.class, bad -> assertThat(bad.reason()).contains("longer than"));
            assertThat(lines.next()).isNull();
        }
    }

    @Test
    void aCompressedFileIsReadByItsName(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("cities.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write((CITY + "\n" + CITY + "\n").getBytes(StandardCharsets.UTF_8));
        }
        try (JsonLines lines = JsonLines.open(file)) {
            assertThat(lines.bytesTotal()).isEqualTo(Files.size(file));
            assertThat(lines.next()).isInstanceOf(Good.class);
            assertThat(lines.next()).isInstanceOf(Good.class);
            assertThat(lines.next()).isNull();
        }
    }

    @Test
    void aFileThatIsNotThereIsNotFound(@TempDir Path folder) {
        assertThatThrownBy(() -> JsonLines.open(folder.resolve("none.jsonl")))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("none.jsonl")
                .extracting(failure -> ((PetrichorException) failure).code())
                .isEqualTo(petrichor.base.ErrorCode.NOT_FOUND);
    }

    static Entity everyType() {
        Entity.Builder entity =
                Entity.newBuilder()
                        .setKey(
                                Key.newBuilder()
                                        .setPartitionId(
                                                new DatabaseName("shop", "archive").partition("eu"))
                                        .addPath(
                                                Key.PathElement.newBuilder()
                                                        .setKind("Order")
                                                        .setId(Long.MAX_VALUE)));
        put(entity, "null", value().setNullValue(NullValue.NULL_VALUE));
        put(entity, "bool", value().setBooleanValue(true));
        put(entity, "min", value().setIntegerValue(Long.MIN_VALUE));
        put(entity, "tenth", value().setDoubleValue(0.1));
        put(entity, "nan", value().setDoubleValue(Double.NaN));
        put(entity, "infinite", value().setDoubleValue(Double.NEGATIVE_INFINITY));
        put(
                entity,
                "time",
                value().setTimestampValue(Timestamp.newBuilder().setSeconds(-1).setNanos(1_000)));
        put(entity, "text", value().setStringValue("a\"\\\n\u2028\u0000😀").setMeaning(15));
        put(entity, "blob", value().setBlobValue(ByteString.copyFrom(new byte[] {0, -1})));
        put(entity, "place", value().setGeoPointValue(LatLng.newBuilder().setLatitude(38.7)));
        put(entity, "key", value().setKeyValue(entity.getKey()).setExcludeFromIndexes(true));
        put(
                entity,
                "inner",
                value().setEntityValue(
                                Entity.newBuilder()
                                        .putProperties("x", value().setIntegerValue(1).build())));
        put(
                entity,
                "list",
                value().setArrayValue(
                                ArrayValue.newBuilder()
                                        .addValues(value().setIntegerValue(1))
                                        .addValues(value().setStringValue("1"))));
        put(entity, "empty list", value().setArrayValue(ArrayValue.getDefaultInstance()));
        return entity.build();
    }

    private static Value.Builder value() {
        return Value.newBuilder();
    }

    private static void put(Entity.Builder entity, String name, Value.Builder value) {
        entity.putProperties(name, value.build());
    }

    private static List<Entry> entries(String text) {
        List<Entry> entries = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (JsonLines lines = JsonLines.of("in", new ByteArrayInputStream(bytes))) {
            for (Entry entry = lines.next(); entry != null; entry = lines.next()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private static List<Entity> entities(String text) {
        return entries(text).stream().map(entry -> ((Good) entry).entity()).toList();
    }
}
