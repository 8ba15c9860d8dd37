package petrichor.jobs.formats;

import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;

/**
 * Writes lines of text: records of one text field, null as an empty line. Readable by {@link
 * TextSource}.
 */
public record TextSink(Target target) implements FileSink {
    @Override
    public void check(RecordType type) {
        if (type.size() != 1 || type.type(0) != FieldType.TEXT) {
            throw PetrichorException.invalid(
                    "{name} holds lines: records of one text, not of {type}",
                    "name",
                    name(),
                    "type",
                    type);
        }
    }

    @Override
    public RecordSize lineSize(RecordType type) {
        Slice line = new Slice();
        return record -> record.slice(0, line).length() + 1;
    }

    @Override
    public Format format(RecordType type) {
        Slice line = new Slice();
        return (record, out) -> {
            record.slice(0, line);
            out.write(line.base(), line.at(), line.length());
            out.write((byte) '\n');
        };
    }
}
