package petrichor.services.search;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchFieldType;

/**
 * Rows of the search service: keys and values.
 *
 * <pre>
 * S i namespace index           state: last change, number and size of documents
 * S s namespace index           fields and their types
 * S c namespace index sequence  a change: the ids of the documents that it put or deleted
 * S d namespace index id        a document
 * </pre>
 */
final class SearchRows {
    private static final int TYPE = 'S';
    private static final int STATE = 'i';
    private static final int SCHEMA = 's';
    private static final int CHANGE = 'c';
    private static final int DOCUMENT = 'd';
    private static final int VERSION = 1;

    /**
     * The state of an index.
     *
     * @param sequence number of the last change
     * @param trimmed changes up to this one are removed
     * @param documents number of documents
     * @param bytes size of the documents
     */
    record State(long sequence, long trimmed, long documents, long bytes) {
        static final State NEW = new State(0, 0, 0, 0);
    }

    /**
     * @param indexed fields that documents have or had, for searches
     * @param listed the same since the schema was deleted, for lists of indexes
     */
    record Schemas(IndexSchema indexed, IndexSchema listed) {
        static final Schemas NONE = new Schemas(IndexSchema.EMPTY, IndexSchema.EMPTY);
    }

    private SearchRows() {}

    private static OrderedWriter writer(int kind, IndexName index) {
        return new OrderedWriter()
                .put(TYPE)
                .put(kind)
                .putString(index.namespace())
                .putString(index.name());
    }

    static byte[] state(IndexName index) {
        return writer(STATE, index).toBytes();
    }

    /** States of all indexes, by namespace and name. */
    static KeyRange states() {
        return KeyRange.ofPrefix(new OrderedWriter().put(TYPE).put(STATE).toBytes());
    }

    static KeyRange states(String namespace) {
        return KeyRange.ofPrefix(
                new OrderedWriter().put(TYPE).put(STATE).putString(namespace).toBytes());
    }

    static IndexName index(byte[] stateKey) {
        OrderedReader reader = new OrderedReader(stateKey, 2);
        return new IndexName(reader.takeString(), reader.takeString());
    }

    static byte[] schema(IndexName index) {
        return writer(SCHEMA, index).toBytes();
    }

    static byte[] change(IndexName index, long sequence) {
        return writer(CHANGE, index).putLong(sequence).toBytes();
    }

    /** The number of a change. */
    static long sequence(byte[] changeKey) {
        return ByteBuffer.wrap(changeKey).getLong(changeKey.length - Long.BYTES);
    }

    /** Changes from {@code from}, inclusive. */
    static KeyRange changesFrom(IndexName index, long from) {
        return new KeyRange(
                change(index, from), KeyRange.ofPrefix(writer(CHANGE, index).toBytes()).to());
    }

    static byte[] document(IndexName index, String id) {
        return writer(DOCUMENT, index).putString(id).toBytes();
    }

    static KeyRange documents(IndexName index) {
        return KeyRange.ofPrefix(writer(DOCUMENT, index).toBytes());
    }

    /** Documents whose id is not less than {@code id}. */
    static KeyRange documentsFrom(IndexName index, String id) {
        return new KeyRange(document(index, id), documents(index).to());
    }

    static byte[] encode(State state) {
        return new OrderedWriter()
                .put(VERSION)
                .putLong(state.sequence())
                .putLong(state.trimmed())
                .putLong(state.documents())
                .putLong(state.bytes())
                .toBytes();
    }

    static State decodeState(byte[] value) {
        OrderedReader reader = new OrderedReader(value, 0);
        if (reader.take() != VERSION) {
            throw reader.damaged("an unknown version");
        }
        return new State(
                reader.takeLong(), reader.takeLong(), reader.takeLong(), reader.takeLong());
    }

    static byte[] encodeIds(List<String> ids) {
        OrderedWriter writer = new OrderedWriter().put(VERSION);
        ids.forEach(writer::putString);
        return writer.toBytes();
    }

    static List<String> decodeIds(byte[] value) {
        OrderedReader reader = new OrderedReader(value, 0);
        if (reader.take() != VERSION) {
            throw reader.damaged("an unknown version");
        }
        List<String> ids = new ArrayList<>();
        while (!reader.atEnd()) {
            ids.add(reader.takeString());
        }
        return ids;
    }

    static byte[] encode(Schemas schemas) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            write(out, schemas.indexed());
            write(out, schemas.listed());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, IndexSchema schema) throws IOException {
        out.writeInt(schema.fields().size());
        for (Map.Entry<String, Set<SearchFieldType>> field : schema.fields().entrySet()) {
            out.writeUTF(field.getKey());
            int bits = 0;
            for (SearchFieldType type : field.getValue()) {
                bits |= 1 << type.code();
            }
            out.writeInt(bits);
        }
        out.writeInt(schema.languages().size());
        for (String language : schema.languages()) {
            out.writeUTF(language);
        }
    }

    static Schemas decodeSchemas(byte[] value) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            if (in.readByte() != VERSION) {
                throw new IOException("unknown version");
            }
            return new Schemas(readSchema(in), readSchema(in));
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, e, "The stored schema of a search index is damaged.");
        }
    }

    private static IndexSchema readSchema(DataInputStream in) throws IOException {
        TreeMap<String, Set<SearchFieldType>> fields = new TreeMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            String name = in.readUTF();
            int bits = in.readInt();
            EnumSet<SearchFieldType> types = EnumSet.noneOf(SearchFieldType.class);
            for (SearchFieldType type : SearchFieldType.values()) {
                if ((bits & 1 << type.code()) != 0) {
                    types.add(type);
                }
            }
            fields.put(name, types);
        }
        TreeSet<String> languages = new TreeSet<>();
        count = in.readInt();
        for (int i = 0; i < count; i++) {
            languages.add(in.readUTF());
        }
        return new IndexSchema(fields, languages);
    }
}
