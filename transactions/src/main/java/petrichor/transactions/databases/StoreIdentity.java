package petrichor.transactions.databases;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Who coordinates the servers of a store: one server alone, or a cluster with a coordination
 * service. Recorded in the store, so that a server with another configuration is refused instead of
 * reading beside servers that do not know of it.
 *
 * @param cluster the cluster's random id, kept by its coordination service; empty for a standalone
 *     server. Compared, unlike the address: a coordination service may move
 * @param address where that service is, for people; empty for a standalone server
 */
public record StoreIdentity(String cluster, String address) {
    public static final StoreIdentity STANDALONE = new StoreIdentity("", "");

    public static StoreIdentity cluster(String id, String address) {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a cluster has an id");
        }
        return new StoreIdentity(id, address);
    }

    /** One server at a time; the servers of a cluster share the store instead. */
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

    /** What a row consists of; in memory nothing can fail. */
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
