package petrichor.kv.cassandra;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.kv.ranges.RangeEntry;
import petrichor.kv.ranges.SplitPlan;

/** Encodes a split plan: table, replaced entry, number of new entries, new entries. */
final class PlanCodec {
    private static final int NO_END = -1;

    private PlanCodec() {}

    static ByteBuffer encoded(SplitPlan plan) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(plan.table());
            write(out, plan.replaced());
            out.writeInt(plan.children().size());
            for (RangeEntry child : plan.children()) {
                write(out, child);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    static SplitPlan decoded(ByteBuffer encoded) {
        try (DataInputStream in =
                new DataInputStream(new ByteArrayInputStream(StoredValue.bytes(encoded)))) {
            String table = in.readUTF();
            RangeEntry replaced = read(in);
            List<RangeEntry> children = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                children.add(read(in));
            }
            return new SplitPlan(table, replaced, children);
        } catch (IOException damaged) {
            throw new UncheckedIOException(damaged);
        }
    }

    private static void write(DataOutputStream out, RangeEntry line) throws IOException {
        out.writeLong(line.partition());
        write(out, line.range().from());
        write(out, line.range().to());
    }

    private static void write(DataOutputStream out, byte @Nullable [] key) throws IOException {
        if (key == null) {
            out.writeInt(NO_END);
        } else {
            out.writeInt(key.length);
            out.write(key);
        }
    }

    private static RangeEntry read(DataInputStream in) throws IOException {
        long partition = in.readLong();
        byte[] from = in.readNBytes(in.readInt());
        int toLength = in.readInt();
        return new RangeEntry(
                new KeyRange(from, toLength == NO_END ? null : in.readNBytes(toLength)), partition);
    }
}
