package petrichor.transactions.databases;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Identifies what coordinates the servers of a store: one standalone server, or a cluster with a
 * coordination service. Recorded in the store, so that a server with another configuration is
 * refused instead of reading concurrently with servers that do not know of it.
 *
 * @param cluster the cluster's random id, kept by its coordination service; empty for a standalone
 *     server. Compared, unlike the address: a coordination service may move
 * @param address of that service, for display only; empty for a standalone server
 */
public record StoreIdentity(String cluster, String address) {
    public static final StoreIdentity STANDALONE = new StoreIdentity("", "");

    public static StoreIdentity cluster(String id, String address) {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a cluster has an id");
        }
        return new StoreIdentity(id, address);
    }

    /** Whether only one server may use the store at a time; the servers of a cluster share it. */
    public boolean exclusive() {
        return cluster.isEmpty();
    }

    boolean matches(StoreIdentity other) {
        return cluster.equals(other.cluster);
    }

    /** For errors and logs. */
    public String description() {
        return exclusive() ? "a standalone server" : "the cluster of " + address;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeUTF(cluster);
        out.writeUTF(address);
    }

    static StoreIdentity read(DataInputStream in) throws IOException {
        return new StoreIdentity(in.readUTF(), in.readUTF());
    }

    /** Access to the parts of a row; cannot fail in memory. */
    interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    static byte[] encoded(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            fields.write(new DataOutputStream(bytes));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }
}
