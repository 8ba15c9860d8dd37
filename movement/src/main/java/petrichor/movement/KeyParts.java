package petrichor.movement;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/** Builds a key from the fields of App Engine's format. */
final class KeyParts {
    private final PartitionId.Builder partition = PartitionId.newBuilder();
    private final Key.Builder key = Key.newBuilder();

    /**
     * An app id is the project id with a prefix for its location: {@code s~shop}, {@code dev~shop}.
     */
    void app(String app) {
        partition.setProjectId(app.substring(app.indexOf('~') + 1));
    }

    void namespace(String namespace) {
        partition.setNamespaceId(namespace);
    }

    void database(String database) {
        partition.setDatabaseId(database.equals("(default)") ? "" : database);
    }

    /** Reads a path element: a group that starts with field {@code group}, up to its end. */
    void element(CodedInputStream in, int group, int kindField, int idField, int nameField)
            throws IOException {
        int end = WireFormat.WIRETYPE_END_GROUP | group << 3;
        Key.PathElement.Builder element = Key.PathElement.newBuilder();
        int tag = in.readTag();
        while (tag != end) {
            int field = WireFormat.getTagFieldNumber(tag);
            if (field == kindField) {
                element.setKind(in.readString());
            } else if (field == idField) {
                element.setId(in.readInt64());
            } else if (field == nameField) {
                element.setName(in.readString());
            } else if (tag == 0 || !in.skipField(tag)) {
                throw new IOException("a path element is not terminated");
            }
            tag = in.readTag();
        }
        key.addPath(element);
    }

    Key key() {
        return key.setPartitionId(partition).build();
    }
}
