package petrichor.transactions.migration;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A migration as stored in the store that holds the database, next to its commit point: any server
 * that opens the database continues from here.
 *
 * @param from the store that holds the database
 * @param to the store that follows it
 * @param startedAt microseconds since 1970
 * @param position the steps up to this version are applied to the other store
 * @param copy what is left to copy
 */
record MigrationState(
        String from,
        String to,
        MigrationPhase phase,
        boolean paused,
        long startedAt,
        long position,
        Copied copied,
        Verified verified,
        List<CopyRange> copy) {
    /** What was copied so far; rows that are copied again after a crash count again. */
    record Copied(long rows, long bytes) {
        static final Copied NOTHING = new Copied(0, 0);
    }

    /**
     * The last comparison.
     *
     * @param version at which both stores were compared; 0 if they were not
     * @param mismatches rows that differ
     * @param examples keys of the first of them, in hexadecimal
     */
    record Verified(long version, long rows, long mismatches, List<String> examples) {
        static final Verified NEVER = new Verified(0, 0, 0, List.of());

        Verified {
            examples = List.copyOf(examples);
        }
    }

    private static final int FORMAT = 1;
    private static final int NO_END = -1;

    MigrationState {
        copy = List.copyOf(copy);
    }

    MigrationState in(MigrationPhase other) {
        return new MigrationState(
                from, to, other, paused, startedAt, position, copied, verified, copy);
    }

    MigrationState at(long version) {
        return new MigrationState(
                from, to, phase, paused, startedAt, version, copied, verified, copy);
    }

    MigrationState paused(boolean now) {
        return new MigrationState(
                from, to, phase, now, startedAt, position, copied, verified, copy);
    }

    MigrationState copied(Copied now, List<CopyRange> left) {
        return new MigrationState(
                from, to, phase, paused, startedAt, position, now, verified, left);
    }

    MigrationState verified(Verified now) {
        return new MigrationState(from, to, phase, paused, startedAt, position, copied, now, copy);
    }

    /** As it continues in the other store after a switch at that version. */
    MigrationState switched(long version) {
        return new MigrationState(
                to,
                from,
                MigrationPhase.REVERSIBLE,
                false,
                startedAt,
                version,
                copied,
                verified,
                List.of());
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeUTF(from);
            out.writeUTF(to);
            out.writeUTF(phase.name());
            out.writeBoolean(paused);
            out.writeLong(startedAt);
            out.writeLong(position);
            out.writeLong(copied.rows);
            out.writeLong(copied.bytes);
            out.writeLong(verified.version);
            out.writeLong(verified.rows);
            out.writeLong(verified.mismatches);
            out.writeInt(verified.examples.size());
            for (String example : verified.examples) {
                out.writeUTF(example);
            }
            out.writeInt(copy.size());
            for (CopyRange range : copy) {
                out.writeUTF(range.table());
                writeKey(out, range.from());
                writeKey(out, range.to());
                out.writeBoolean(range.done());
            }
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
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

    /** INTERNAL if the bytes are damaged or of a later version of Petrichor. */
    static MigrationState decode(byte[] stored) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
            if (in.readByte() != FORMAT) {
                throw MigrationRows.damaged();
            }
            String from = in.readUTF();
            String to = in.readUTF();
            MigrationPhase phase = MigrationPhase.valueOf(in.readUTF());
            boolean paused = in.readBoolean();
            long startedAt = in.readLong();
            long position = in.readLong();
            Copied copied = new Copied(in.readLong(), in.readLong());
            long version = in.readLong();
            long rows = in.readLong();
            long mismatches = in.readLong();
            List<String> examples = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                examples.add(in.readUTF());
            }
            List<CopyRange> ranges = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                String table = in.readUTF();
                byte[] start = readKey(in);
                ranges.add(
                        new CopyRange(
                                table,
                                start == null ? new byte[0] : start,
                                readKey(in),
                                in.readBoolean()));
            }
            return new MigrationState(
                    from,
                    to,
                    phase,
                    paused,
                    startedAt,
                    position,
                    copied,
                    new Verified(version, rows, mismatches, examples),
                    ranges);
        } catch (IOException | IllegalArgumentException damaged) {
            throw MigrationRows.damaged();
        }
    }
}
