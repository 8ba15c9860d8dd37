package petrichor.bench.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.Random;
import petrichor.bench.SampleData;

/** Entities with a payload of a given size, which does not compress, and an indexed number. */
final class Sized {
    static final String KIND = "Sized";
    static final String REVISION = "revision";

    private static final String PAYLOAD = "payload";

    private Sized() {}

    static Key key(String database, long number) {
        return Key.newBuilder()
                .setPartitionId(
                        PartitionId.newBuilder()
                                .setProjectId(SampleData.PROJECT)
                                .setDatabaseId(database))
                .addPath(Key.PathElement.newBuilder().setKind(KIND).setId(number + 1))
                .build();
    }

    static Entity entity(String database, long number, int bytes, long revision) {
        byte[] payload = new byte[bytes];
        new Random(number * 31 + revision).nextBytes(payload);
        return Entity.newBuilder()
                .setKey(key(database, number))
                .putProperties(
                        PAYLOAD,
                        Value.newBuilder()
                                .setBlobValue(ByteString.copyFrom(payload))
                                .setExcludeFromIndexes(true)
                                .build())
                .putProperties(REVISION, Value.newBuilder().setIntegerValue(revision).build())
                .build();
    }
}
