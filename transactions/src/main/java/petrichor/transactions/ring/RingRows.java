package petrichor.transactions.ring;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.transactions.rows.TableLayout;

/**
 * The rows of a ring in the meta table of the home. Pure functions.
 *
 * <pre>
 *   meta     'd' database(4) 'Q'   -> {@link RingMap}
 *   meta     'd' database(4) 'U'   -> {@link RingProgress}
 *   meta     'd' database(4) 'Z'   -> ranges that the step with this row deletes in one store
 * </pre>
 */
final class RingRows {
    private static final char PROGRESS = 'U';
    private static final char DELETION = 'Z';
    private static final int FORMAT = 1;
    private static final int NO_END = -1;

    /** A range of a table that a step deletes in one store only. */
    record Deletion(String store, String table, KeyRange range) {}

    private RingRows() {}

    static byte[] progressKey(TableLayout layout) {
        return layout.meta(PROGRESS);
    }

    static byte[] deletionKey(TableLayout layout) {
        return layout.meta(DELETION);
    }

    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private interface Reading<T> {
        T from(DataInputStream in) throws IOException;
    }

    private static byte[] written(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            writing.to(out);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    /** INTERNAL if the bytes are damaged or of a later version of Petrichor. */
    private static <T> T read(byte[] stored, Reading<T> reading) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
            if (in.readByte() == FORMAT) {
                return reading.from(in);
            }
        } catch (IOException | IllegalArgumentException damaged) {
            // The same answer as for another format.
        }
        throw PetrichorException.of(
                ErrorCode.INTERNAL,
                "The map of the database's ring is damaged, or was written by a later version of"
                        + " Petrichor. Start that version, or restore the store from a backup.");
    }

    private static void writeKey(DataOutputStream out, byte @Nullable [] key) throws IOException {
        out.writeInt(key == null ? NO_END : key.length);
        if (key != null) {
            out.write(key);
        }
    }

    private static byte @Nullable [] readKey(DataInputStream in) throws IOException {
        int length = in.readInt();
        return length == NO_END ? null : in.readNBytes(length);
    }

    private static void writeKeys(DataOutputStream out, KeyRange keys) throws IOException {
        writeKey(out, keys.from());
        writeKey(out, keys.to());
    }

    private static KeyRange readKeys(DataInputStream in) throws IOException {
        byte[] from = readKey(in);
        return new KeyRange(from == null ? new byte[0] : from, readKey(in));
    }

    static byte[] encode(RingMap map) {
        return written(
                out -> {
                    out.writeLong(map.version());
                    out.writeInt(map.members().size());
                    for (RingMap.Member member : map.members()) {
                        out.writeUTF(member.store());
                        out.writeBoolean(member.leaving());
                    }
                    out.writeInt(map.ranges().size());
                    for (RingMap.Range range : map.ranges()) {
                        writeKeys(out, range.keys());
                        out.writeUTF(range.store());
                    }
                    RingMap.Move move = map.move();
                    out.writeBoolean(move != null);
                    if (move != null) {
                        writeKeys(out, move.keys());
                        out.writeUTF(move.from());
                        out.writeUTF(move.to());
                        out.writeLong(move.since());
                    }
                    out.writeInt(map.former().size());
                    for (RingMap.Former former : map.former()) {
                        writeKeys(out, former.keys());
                        out.writeUTF(former.store());
                        out.writeLong(former.since());
                    }
                    out.writeInt(map.plan().size());
                    for (RingMap.Planned planned : map.plan()) {
                        writeKeys(out, planned.keys());
                        out.writeUTF(planned.to());
                    }
                    out.writeUTF(map.goal().name());
                });
    }

    static RingMap decodeMap(byte[] stored) {
        return read(
                stored,
                in -> {
                    long version = in.readLong();
                    List<RingMap.Member> members = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        members.add(new RingMap.Member(in.readUTF(), in.readBoolean()));
                    }
                    List<RingMap.Range> ranges = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        ranges.add(new RingMap.Range(readKeys(in), in.readUTF()));
                    }
                    RingMap.Move move =
                            in.readBoolean()
                                    ? new RingMap.Move(
                                            readKeys(in), in.readUTF(), in.readUTF(), in.readLong())
                                    : null;
                    List<RingMap.Former> former = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        former.add(new RingMap.Former(readKeys(in), in.readUTF(), in.readLong()));
                    }
                    List<RingMap.Planned> plan = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        plan.add(new RingMap.Planned(readKeys(in), in.readUTF()));
                    }
                    return new RingMap(
                            version,
                            members,
                            ranges,
                            move,
                            former,
                            plan,
                            RingMap.Goal.valueOf(in.readUTF()));
                });
    }

    static byte[] encode(List<Deletion> deletions) {
        return written(
                out -> {
                    out.writeInt(deletions.size());
                    for (Deletion deletion : deletions) {
                        out.writeUTF(deletion.store);
                        out.writeUTF(deletion.table);
                        writeKeys(out, deletion.range);
                    }
                });
    }

    static List<Deletion> decodeDeletions(byte[] stored) {
        return read(
                stored,
                in -> {
                    List<Deletion> deletions = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        deletions.add(new Deletion(in.readUTF(), in.readUTF(), readKeys(in)));
                    }
                    return deletions;
                });
    }

    static byte[] encode(RingProgress progress) {
        return written(
                out -> {
                    out.writeLong(progress.move());
                    out.writeUTF(progress.phase().name());
                    out.writeInt(progress.hour());
                    writeKey(out, progress.next());
                    out.writeLong(progress.rows());
                    out.writeLong(progress.bytes());
                });
    }

    static RingProgress decodeProgress(byte[] stored) {
        return read(
                stored,
                in -> {
                    long move = in.readLong();
                    RingProgress.Phase phase = RingProgress.Phase.valueOf(in.readUTF());
                    int hour = in.readInt();
                    byte[] next = readKey(in);
                    return new RingProgress(
                            move,
                            phase,
                            hour,
                            next == null ? new byte[0] : next,
                            in.readLong(),
                            in.readLong());
                });
    }
}
