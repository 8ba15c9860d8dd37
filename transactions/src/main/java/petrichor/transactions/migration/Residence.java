package petrichor.transactions.migration;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Reads;
import petrichor.transactions.rows.TableLayout;

/**
 * Where a database has moved: the decision to switch, committed by the owner of the database in the
 * store that it leaves, under its fence. From then on the database is in the other store, even if
 * the process ends. The other store has such a row as well, which names itself.
 *
 * @param store the name of the other store
 * @param generation number of the switch; a row of an earlier switch is obsolete
 * @param version of the step
 * @param previous version of the step before it, which the other store has
 * @param arriving the {@link MigrationState} with which the database continues there
 */
record Residence(String store, long generation, long version, long previous, byte[] arriving) {
    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(store);
            out.writeLong(generation);
            out.writeLong(version);
            out.writeLong(previous);
            out.writeInt(arriving.length);
            out.write(arriving);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    /** Null if the database never left the store. */
    static @Nullable Residence read(Reads rows, TableLayout layout) {
        byte[] stored = rows.get(TableLayout.META, MigrationRows.residenceKey(layout));
        if (stored == null) {
            return null;
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
            return new Residence(
                    in.readUTF(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readNBytes(in.readInt()));
        } catch (IOException damaged) {
            throw MigrationRows.damaged();
        }
    }
}
