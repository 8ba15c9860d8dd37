package petrichor.entities;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;

/**
 * Order-preserving encoding of keys, in Datastore's order: element by element, by kind, then ids
 * (as numbers) before names.
 *
 * <p>A <em>path</em> is, for each element, the kind as a string and 01 + the id in eight bytes, or
 * 02 + the name as a string. It has no end mark, so that an ancestor's path is a prefix of the
 * paths of its descendants only. Where more bytes follow a path, an empty kind ends it. Stateless.
 */
public final class KeyCodec {
    private static final int ID = 0x01;
    private static final int NAME = 0x02;

    private KeyCodec() {}

    /** The path alone, without namespace. The key must be complete. */
    public static byte[] path(Key key) {
        OrderedWriter out = new OrderedWriter();
        putPath(out, key);
        return out.toBytes();
    }

    static void putPath(OrderedWriter out, Key key) {
        for (int i = 0; i < key.getPathCount(); i++) {
            Key.PathElement element = key.getPath(i);
            out.putString(element.getKind());
            switch (element.getIdTypeCase()) {
                case ID -> out.put(ID).putLong(element.getId());
                case NAME -> out.put(NAME).putString(element.getName());
                case IDTYPE_NOT_SET ->
                        throw PetrichorException.invalid(
                                "The key path element of kind \"{kind}\" must have an id or a"
                                        + " name.",
                                "kind",
                                element.getKind());
            }
        }
    }

    static void putPathEnd(OrderedWriter out) {
        out.putString("");
    }

    /** Decodes a path that extends to the end of {@code bytes}. */
    public static Key decode(PartitionId partition, byte[] bytes, int from) {
        return takePath(new OrderedReader(bytes, from), partition);
    }

    /** Reads up to the end mark or the end of the bytes. */
    static Key takePath(OrderedReader in, PartitionId partition) {
        Key.Builder key = Key.newBuilder().setPartitionId(partition);
        while (!in.atEnd()) {
            String kind = in.takeString();
            if (kind.isEmpty()) {
                break;
            }
            Key.PathElement.Builder element = key.addPathBuilder().setKind(kind);
            switch (in.take()) {
                case ID -> element.setId(in.takeLong());
                case NAME -> element.setName(in.takeString());
                default -> throw in.damaged("neither an id nor a name follows the kind");
            }
        }
        return key.build();
    }

    /** Skips a path that has an end mark. */
    static void skipPath(OrderedReader in) {
        while (true) {
            int from = in.position();
            in.skipString();
            if (in.position() == from + 2) {
                return;
            }
            skipIdOrName(in);
        }
    }

    /** The kind of the entity whose path extends to the end of the bytes. */
    static String lastKind(OrderedReader in) {
        String kind = "";
        while (!in.atEnd()) {
            kind = in.takeString();
            skipIdOrName(in);
        }
        return kind;
    }

    private static void skipIdOrName(OrderedReader in) {
        switch (in.take()) {
            case ID -> in.skip(8);
            case NAME -> in.skipString();
            default -> throw in.damaged("neither an id nor a name follows the kind");
        }
    }

    /** Lengths of the paths of all ancestors, from the root to the key itself. */
    public static List<Integer> ancestorLengths(byte[] path) {
        List<Integer> lengths = new ArrayList<>();
        OrderedReader in = new OrderedReader(path, 0);
        while (!in.atEnd()) {
            in.skipString();
            skipIdOrName(in);
            lengths.add(in.position());
        }
        return lengths;
    }

    /** Encodes a key as a property value: with its whole partition, and self-delimiting. */
    static void putKey(OrderedWriter out, Key key) {
        PartitionId partition = key.getPartitionId();
        out.putString(partition.getProjectId())
                .putString(partition.getDatabaseId())
                .putString(partition.getNamespaceId());
        putPath(out, key);
        putPathEnd(out);
    }

    static Key takeKey(OrderedReader in) {
        PartitionId partition =
                PartitionId.newBuilder()
                        .setProjectId(in.takeString())
                        .setDatabaseId(in.takeString())
                        .setNamespaceId(in.takeString())
                        .build();
        return takePath(in, partition);
    }

    static void skipKey(OrderedReader in) {
        in.skipString();
        in.skipString();
        in.skipString();
        skipPath(in);
    }
}
