package petrichor.jobs.formats;

import java.io.IOException;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/** Writes records of fixed length, readable by {@link FixedSource}. */
public record FixedSink(Target target, List<FixedColumn> columns) implements FileSink {
    public FixedSink {
        columns = List.copyOf(columns);
    }

    @Override
    public void check(RecordType type) {
        List<FieldType> given = type.fields().stream().map(f -> f.type()).toList();
        List<FieldType> wanted = columns.stream().map(c -> c.field().type()).toList();
        if (!given.equals(wanted)) {
            throw PetrichorException.invalid(
                    "{name} holds {format}, not records of {type}",
                    "name",
                    name(),
                    "format",
                    wanted,
                    "type",
                    type);
        }
    }

    @Override
    public RecordSize lineSize(RecordType type) {
        int bytes = columns.stream().mapToInt(FixedColumn::bytes).sum();
        return _ -> bytes;
    }

    @Override
    public Format format(RecordType type) {
        int[] lengths = columns.stream().mapToInt(FixedColumn::bytes).toArray();
        FieldType[] types = columns.stream().map(c -> c.field().type()).toArray(FieldType[]::new);
        Slice slice = new Slice();
        byte[] word = new byte[8];
        return (record, out) -> {
            for (int i = 0; i < lengths.length; i++) {
                if (record.isNull(i)) {
                    throw PetrichorException.invalid(
                            "null in field {name}, which a file of fixed length cannot hold",
                            "name",
                            type.name(i));
                }
                switch (types[i]) {
                    case TEXT, BYTES -> text(record.slice(i, slice), lengths[i], type.name(i), out);
                    case BOOLEAN -> out.write((byte) (record.bool(i) ? 1 : 0));
                    case INT32, INT64 -> {
                        Words.int64(word, 0, record.int64(i));
                        out.write(word, 0, lengths[i]);
                    }
                    case FLOAT64 -> {
                        Words.int64(word, 0, Double.doubleToLongBits(record.float64(i)));
                        out.write(word, 0, lengths[i]);
                    }
                }
            }
        };
    }

    private static void text(Slice value, int bytes, String field, FileOutput out)
            throws IOException {
        if (value.length() > bytes) {
            throw PetrichorException.invalid(
                    "{valueCount} bytes do not fit into the {bytes} of {field}",
                    "valueCount",
                    value.length(),
                    "bytes",
                    bytes,
                    "field",
                    field);
        }
        out.write(value.base(), value.at(), value.length());
        for (int i = value.length(); i < bytes; i++) {
            out.write((byte) 0);
        }
    }
}
