package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;

/**
 * Writes separated text, readable by {@link CsvSource}. Null is an empty field, an empty text
 * {@code ""}; a text that would otherwise be parsed differently is quoted, including line ends. One
 * file has one header; in a folder every file has one.
 */
public record CsvSink(Target target, CsvSource.Dialect dialect) implements FileSink {
    @Override
    public void check(RecordType type) {
        if (type.fields().stream().anyMatch(f -> f.type() == FieldType.BYTES)) {
            throw PetrichorException.invalid(
                    "{name} is text and cannot hold the bytes of {type}",
                    "name",
                    name(),
                    "type",
                    type);
        }
    }

    @Override
    public Format format(RecordType type) {
        return new Lines(type);
    }

    private final class Lines implements Format {
        private final RecordType type;
        private final byte separator = (byte) dialect.separator();
        private final Slice slice = new Slice();
        private final byte[] digits = new byte[20];

        Lines(RecordType type) {
            this.type = type;
        }

        @Override
        public void begin(int subtask, FileOutput out) throws IOException {
            if (dialect.header() && (subtask == 0 || target.folder())) {
                List<Field> fields = type.fields();
                for (int i = 0; i < fields.size(); i++) {
                    byte[] name = fields.get(i).name().getBytes(StandardCharsets.UTF_8);
                    text(slice.over(name, 0, name.length), out);
                    out.write(i + 1 < fields.size() ? separator : (byte) '\n');
                }
            }
        }

        @Override
        public void write(RecordView record, FileOutput out) throws IOException {
            int count = type.size();
            for (int i = 0; i < count; i++) {
                if (!record.isNull(i)) {
                    field(record, i, out);
                }
                out.write(i + 1 < count ? separator : (byte) '\n');
            }
        }

        private void field(RecordView record, int field, FileOutput out) throws IOException {
            switch (type.type(field)) {
                case TEXT, BYTES -> text(record.slice(field, slice), out);
                case INT32, INT64 -> number(record.int64(field), out);
                case FLOAT64 -> ascii(Double.toString(record.float64(field)), out);
                case BOOLEAN -> ascii(Boolean.toString(record.bool(field)), out);
            }
        }

        private void text(Slice value, FileOutput out) throws IOException {
            byte[] bytes = value.base();
            int end = value.at() + value.length();
            // An empty field would be null.
            boolean plain = value.length() > 0;
            for (int i = value.at(); i < end; i++) {
                byte b = bytes[i];
                plain &= b != separator && b != '"' && b != '\n' && b != '\r';
            }
            if (plain) {
                out.write(bytes, value.at(), value.length());
                return;
            }
            out.write((byte) '"');
            for (int i = value.at(); i < end; i++) {
                if (bytes[i] == '"') {
                    out.write((byte) '"');
                }
                out.write(bytes[i]);
            }
            out.write((byte) '"');
        }

        private void number(long value, FileOutput out) throws IOException {
            int at = digits.length;
            // Uses negative numbers, because the smallest has no positive counterpart.
            long left = value > 0 ? -value : value;
            do {
                digits[--at] = (byte) ('0' - left % 10);
                left /= 10;
            } while (left != 0);
            if (value < 0) {
                digits[--at] = '-';
            }
            out.write(digits, at, digits.length - at);
        }

        private void ascii(String text, FileOutput out) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            out.write(bytes, 0, bytes.length);
        }
    }
}
