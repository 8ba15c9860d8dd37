package petrichor.bench.jobs;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The canonical form of a job's result, equal for all contenders: numbers are rounded to a
 * precision that all of them can represent, and the order of lines is ignored where the job defines
 * none.
 */
record Answer(String words) {
    private static final int KEY_BYTES = 10;
    private static final MathContext AVERAGE = new MathContext(9);
    private static final int MONEY_DIGITS = 4;

    static Answer of(MeasuredJob job, Path output) throws IOException {
        return switch (job) {
            case SORT, EMPTY -> sorted(output);
            case WORDS -> counted(output);
            case SMALLEST -> averaged(output);
            case Q3 -> revenues(output);
        };
    }

    private static Answer sorted(Path output) throws IOException {
        Sequence sequence = new Sequence();
        OutputLines.each(output, sequence);
        return new Answer(
                String.format(
                        "%d records in order, checksum %08x",
                        sequence.lines, sequence.checksum.getValue()));
    }

    private static Answer counted(Path output) throws IOException {
        Collection collection = new Collection();
        OutputLines.each(output, collection);
        return new Answer(
                String.format("%d words, checksum %016x", collection.lines, collection.checksum));
    }

    private static Answer averaged(Path output) throws IOException {
        return new Answer(
                texts(output).stream()
                        .map(text -> new BigDecimal(text).round(AVERAGE).toPlainString())
                        .toList()
                        .toString());
    }

    private static Answer revenues(Path output) throws IOException {
        List<String> rows = new ArrayList<>();
        for (String text : texts(output)) {
            String[] fields = text.split("\\|", -1);
            BigDecimal revenue = new BigDecimal(fields[fields.length - 1]);
            fields[fields.length - 1] =
                    revenue.setScale(MONEY_DIGITS, RoundingMode.HALF_EVEN).toPlainString();
            rows.add(String.join("|", fields));
        }
        return new Answer(String.join(" ", rows));
    }

    private static List<String> texts(Path output) throws IOException {
        List<String> texts = new ArrayList<>();
        OutputLines.each(
                output,
                (bytes, from, to) ->
                        texts.add(new String(bytes, from, to - from, StandardCharsets.UTF_8)));
        return texts;
    }

    /** Compares lines in order. */
    private static final class Sequence implements OutputLines.LineConsumer {
        private final CRC32C checksum = new CRC32C();
        private final byte[] last = new byte[KEY_BYTES];
        private long lines;

        @Override
        public void take(byte[] bytes, int from, int to) {
            int key = Math.min(to, from + KEY_BYTES);
            if (lines > 0 && Arrays.compareUnsigned(last, 0, KEY_BYTES, bytes, from, key) > 0) {
                throw new PetrichorException(
                        ErrorCode.INTERNAL, "record " + (lines + 1) + " is out of order");
            }
            System.arraycopy(bytes, from, last, 0, key - from);
            checksum.update(bytes, from, to - from);
            checksum.update('\n');
            lines++;
        }
    }

    /** Compares lines in any order. */
    private static final class Collection implements OutputLines.LineConsumer {
        private final CRC32C line = new CRC32C();
        private long lines;
        private long checksum;

        @Override
        public void take(byte[] bytes, int from, int to) {
            line.reset();
            line.update(bytes, from, to - from);
            long value = line.getValue();
            checksum += value * value;
            lines++;
        }
    }
}
