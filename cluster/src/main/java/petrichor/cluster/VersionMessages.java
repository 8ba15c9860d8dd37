package petrichor.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import petrichor.transactions.SharedVersion;

/** What servers say to each other about versions: the database's name, and four numbers. */
final class VersionMessages {
    static final String METHOD = "petrichor.cluster.v1.Versions/Newest";

    private static final int ANSWER_BYTES = Integer.BYTES + 3 * Long.BYTES;

    private VersionMessages() {}

    static byte[] request(String database) {
        return database.getBytes(StandardCharsets.UTF_8);
    }

    static String database(byte[] request) {
        return new String(request, StandardCharsets.UTF_8);
    }

    static byte[] answer(SharedVersion version) {
        return ByteBuffer.allocate(ANSWER_BYTES)
                .putInt(version.number())
                .putLong(version.version())
                .putLong(version.ownerMicros())
                .putLong(version.retentionMicros())
                .array();
    }

    static SharedVersion version(byte[] answer) {
        ByteBuffer in = ByteBuffer.wrap(answer);
        return new SharedVersion(in.getInt(), in.getLong(), in.getLong(), in.getLong());
    }
}
