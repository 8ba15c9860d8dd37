package petrichor.frontends.postgres;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;

/** Receives the rows of COPY as text or CSV. */
final class CopyLines implements CopyCommand.Data {
    private final CopyText format;
    private final List<ColumnType> types;
    private final CopyInserts inserts;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    /** Whether the next line is the header. */
    private boolean header;

    /** Whether the line that ends the data in old versions of the protocol was received. */
    private boolean ended;

    CopyLines(CopyText format, boolean header, List<ColumnType> types, CopyInserts inserts) {
        this.format = format;
        this.header = header;
        this.types = types;
        this.inserts = inserts;
    }

    @Override
    public void add(byte[] piece) {
        pending.writeBytes(piece);
        byte[] bytes = pending.toByteArray();
        int from = 0;
        for (int end = format.end(bytes, from); end >= 0; end = format.end(bytes, from)) {
            line(ClientMessages.utf8(ByteBuffer.wrap(bytes, from, end - from)));
            from = end + 1;
        }
        pending.reset();
        pending.write(bytes, from, bytes.length - from);
        CopyCommand.Data.requireRowBytes(pending.size());
    }

    @Override
    public void end() {
        if (pending.size() > 0) {
            line(ClientMessages.utf8(ByteBuffer.wrap(pending.toByteArray())));
        }
    }

    private void line(String line) {
        ended |= line.strip().equals("\\.");
        if (header) {
            header = false;
        } else if (!ended) {
            inserts.add(values(format.values(line)), line.length());
        }
    }

    private List<@Nullable Object> values(List<@Nullable String> texts) {
        inserts.requireWidth(texts.size());
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            values.add(text == null ? null : TextFormat.parse(types.get(i), text));
        }
        return values;
    }
}
