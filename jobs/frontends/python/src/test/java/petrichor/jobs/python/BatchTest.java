package petrichor.jobs.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * Messages written and read by Petrichor; that Arrow's own library reads them is tested in Python.
 */
final class BatchTest {
    private static final RecordType ALL =
            RecordType.of(
                    Field.bool("b"),
                    Field.int32("i"),
                    Field.int64("l"),
                    Field.float64("d"),
                    Field.text("t"),
                    Field.bytes("y"));

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random chance = new Random(seed);

    @Test
    void writtenBatchesAreRead() {
        var writer = new BatchWriter(ALL);
        var reader = new BatchReader(ALL);
        for (int rows : new int[] {1, 7, 8, 9, 0, 3000, 64}) {
            var want = new ArrayList<String>();
            for (int i = 0; i < rows; i++) {
                var record = record();
                want.add(record.toString());
                writer.add(record);
            }
            byte[] message = writer.take();
            assertThat(message.length % 8).isZero();
            assertThat(read(reader, message)).as("seed %d", seed).isEqualTo(want);
        }
    }

    @Test
    void aBatchIsFullByRowsOrByBytes() {
        var writer = new BatchWriter(ALL);
        var builder = new RecordBuilder(ALL);
        while (!writer.isFull()) {
            writer.add(builder.start().finish());
        }
        assertThat(writer.rows()).isEqualTo(BatchWriter.BATCH_ROWS_MAX);
        writer.take();
        assertThat(writer.isFull()).isFalse();
        writer.add(builder.start().bytes(5, new byte[BatchWriter.BATCH_BYTES_MAX]).finish());
        assertThat(writer.isFull()).isTrue();
    }

    @Test
    void aMessageOfAnotherTypeIsRefused() {
        var writer = new BatchWriter(RecordType.of(Field.text("only")));
        byte[] message = writer.take();
        assertThatThrownBy(() -> read(new BatchReader(ALL), message))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("another version");
    }

    @Test
    void groupsKeepTheirStartRows() {
        var type = RecordType.of(Field.int64("n"));
        var batches = new Batches(List.of(type, type));
        var builder = new RecordBuilder(type);
        batches.beginGroup();
        batches.add(0, builder.start().int64(0, 1).finish());
        batches.add(0, builder.start().int64(0, 2).finish());
        batches.beginGroup();
        batches.add(1, builder.start().int64(0, 3).finish());
        byte[] content = batches.take();
        int[] numbers = new int[8];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Words.int32(content, i * Integer.BYTES);
        }
        assertThat(Arrays.copyOf(numbers, 6)).containsExactly(2, 2, 0, 0, 2, 0);
        var reader = new BatchReader(type);
        byte[] first = Arrays.copyOfRange(content, 32, 32 + numbers[6]);
        byte[] second = Arrays.copyOfRange(content, 32 + numbers[6], content.length);
        assertThat(second).hasSize(numbers[7]);
        assertThat(read(reader, first)).containsExactly("(1)", "(2)");
        assertThat(read(reader, second)).containsExactly("(3)");
        assertThat(batches.isEmpty()).isTrue();
    }

    private RecordView record() {
        var builder = new RecordBuilder(ALL);
        for (int field = 0; field < ALL.size(); field++) {
            if (chance.nextInt(4) == 0) {
                continue;
            }
            switch (ALL.type(field)) {
                case BOOLEAN -> builder.bool(field, chance.nextBoolean());
                case INT32 -> builder.int32(field, chance.nextInt());
                case INT64 -> builder.int64(field, chance.nextLong());
                case FLOAT64 -> builder.float64(field, chance.nextGaussian());
                case TEXT -> builder.text(field, "é".repeat(chance.nextInt(40)));
                case BYTES -> {
                    byte[] bytes = new byte[chance.nextInt(40)];
                    chance.nextBytes(bytes);
                    builder.bytes(field, bytes);
                }
            }
        }
        return builder.finish();
    }

    private static List<String> read(BatchReader reader, byte[] message) {
        var got = new ArrayList<String>();
        reader.read(
                message,
                new Out() {
                    private final RecordBuilder builder =
                            new RecordBuilder(reader.type(), record -> got.add(record.toString()));

                    @Override
                    public RecordBuilder record() {
                        return builder.start();
                    }

                    @Override
                    public void emit(RecordView record) {
                        got.add(record.toString());
                    }
                });
        return got;
    }
}
