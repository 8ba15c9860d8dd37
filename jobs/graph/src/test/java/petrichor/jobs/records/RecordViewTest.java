package petrichor.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class RecordViewTest {
    private static final RecordType FRUIT =
            RecordType.of(
                    Field.text("name"),
                    Field.int32("count"),
                    Field.int64("grams"),
                    Field.float64("price"),
                    Field.bool("ripe"),
                    Field.bytes("picture"));

    @Test
    void writtenRecordsAreRead() {
        RecordView record =
                new RecordBuilder(FRUIT)
                        .text(0, "Äpfel")
                        .int32(1, -3)
                        .int64(2, Long.MAX_VALUE)
                        .float64(3, 0.25)
                        .bool(4, true)
                        .bytes(5, new byte[] {1, 2, 3})
                        .finish();
        assertThat(record.text(0)).isEqualTo("Äpfel");
        assertThat(record.int32(1)).isEqualTo(-3);
        assertThat(record.int64(1)).isEqualTo(-3);
        assertThat(record.int64(2)).isEqualTo(Long.MAX_VALUE);
        assertThat(record.float64(3)).isEqualTo(0.25);
        assertThat(record.bool(4)).isTrue();
        assertThat(record.bytes(5)).containsExactly(1, 2, 3);
        assertThat(record).hasToString("(Äpfel, -3, 9223372036854775807, 0.25, true, [1, 2, 3])");
    }

    @Test
    void unsetFieldsAreNull() {
        RecordView record = new RecordBuilder(FRUIT).int32(1, 1).setNull(1).finish();
        for (int i = 0; i < FRUIT.size(); i++) {
            assertThat(record.isNull(i)).isTrue();
        }
        assertThat(record.text(0)).isEmpty();
        assertThat(record.int64(2)).isZero();
    }

    @Test
    void aRecordOfManyFieldsKeepsItsNulls() {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            fields.add(Field.int32("f" + i));
        }
        RecordBuilder builder = new RecordBuilder(RecordType.of(fields));
        for (int i = 0; i < 100; i += 3) {
            builder.int32(i, i);
        }
        RecordView record = builder.finish();
        for (int i = 0; i < 100; i++) {
            assertThat(record.isNull(i)).isEqualTo(i % 3 != 0);
            assertThat(record.int32(i)).isEqualTo(i % 3 == 0 ? i : 0);
        }
    }

    @Test
    void aWrongTypeIsRefusedWithTheFieldsName() {
        RecordView record = new RecordBuilder(FRUIT).text(0, "x").finish();
        assertThatThrownBy(() -> record.int64(0))
                .isInstanceOf(PetrichorException.class)
                .hasMessage("field 0 (name) holds TEXT, not a whole number");
        assertThatThrownBy(() -> record.text(99))
                .isInstanceOf(PetrichorException.class)
                .hasMessageStartingWith("there is no field 99");
        assertThatThrownBy(() -> new RecordBuilder(FRUIT).float64(2, 1))
                .hasMessage("field 2 (grams) holds INT64, not FLOAT64");
        assertThatThrownBy(() -> new RecordBuilder(FRUIT).int64(1, 1L << 40))
                .hasMessageContaining("does not fit");
    }

    @Test
    void aCopyOutlivesTheBuilder() {
        RecordBuilder builder = new RecordBuilder(FRUIT);
        RecordView first = builder.text(0, "first").finish().copy();
        builder.start().text(0, "second").finish();
        assertThat(first.text(0)).isEqualTo("first");
        RecordView changed = new RecordBuilder(FRUIT).copy(first).int32(1, 5).finish();
        assertThat(changed.text(0)).isEqualTo("first");
        assertThat(changed.int32(1)).isEqualTo(5);
    }

    @Test
    void aRecordOverTheLimitIsRefused() {
        RecordBuilder builder = new RecordBuilder(FRUIT);
        assertThatThrownBy(() -> builder.bytes(5, new byte[RecordBuilder.RECORD_BYTES_MAX]))
                .hasMessageContaining("exceeds the limit");
    }

    @Test
    void userCodeIsSerializable() throws Exception {
        MapCode code = (in, out) -> out.record().int64(0, in.int64(0) + 1).emit();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(code);
            out.writeObject(FRUIT);
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isInstanceOf(MapCode.class);
            assertThat(in.readObject()).isEqualTo(FRUIT);
        }
    }
}
