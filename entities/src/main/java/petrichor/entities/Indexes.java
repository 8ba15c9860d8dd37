package petrichor.entities;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;

/**
 * The set of composite indexes of a database at one version. Stored as one row, so that every
 * commit that read it conflicts with a change of the set. Immutable.
 */
public final class Indexes {
    /** A database without composite indexes. */
    static final Indexes NONE = new Indexes(0, List.of());

    static final byte[] ROW = RowLayout.metaRow("indexes");

    private static final int FORMAT = 2;

    /** This format did not record the origin of an index. */
    private static final int FORMAT_WITHOUT_ORIGIN = 1;

    private final int lastId;
    private final List<CompositeIndex> all;
    private final Map<String, List<CompositeIndex>> maintained = new HashMap<>();
    private final Map<String, List<CompositeIndex>> readable = new HashMap<>();

    Indexes(int lastId, List<CompositeIndex> all) {
        this.lastId = lastId;
        this.all = List.copyOf(all);
        for (CompositeIndex index : all) {
            String kind = index.definition().kind();
            if (index.maintained()) {
                maintained.computeIfAbsent(kind, _ -> new ArrayList<>()).add(index);
            }
            if (index.state() == CompositeIndex.State.READABLE) {
                readable.computeIfAbsent(kind, _ -> new ArrayList<>()).add(index);
            }
        }
    }

    public List<CompositeIndex> all() {
        return all;
    }

    /** Indexes that a query on this kind may use. */
    public List<CompositeIndex> readable(String kind) {
        return readable.getOrDefault(kind, List.of());
    }

    /** Indexes that a commit of an entity of this kind must keep up to date. */
    List<CompositeIndex> maintained(String kind) {
        return maintained.getOrDefault(kind, List.of());
    }

    @Nullable CompositeIndex find(int id) {
        for (CompositeIndex index : all) {
            if (index.id() == id) {
                return index;
            }
        }
        return null;
    }

    Indexes with(IndexDefinition definition, CompositeIndex.Origin origin) {
        List<CompositeIndex> more = new ArrayList<>(all);
        more.add(
                new CompositeIndex(
                        lastId + 1, definition, CompositeIndex.State.WRITE_ONLY, origin));
        return new Indexes(lastId + 1, more);
    }

    Indexes with(CompositeIndex changed) {
        return new Indexes(
                lastId,
                all.stream().map(index -> index.id() == changed.id() ? changed : index).toList());
    }

    Indexes without(int id) {
        return new Indexes(lastId, all.stream().filter(index -> index.id() != id).toList());
    }

    byte[] toBytes() {
        OrderedWriter out = new OrderedWriter(256).put(FORMAT).putInt(lastId).putInt(all.size());
        for (CompositeIndex index : all) {
            IndexDefinition definition = index.definition();
            out.putInt(index.id()).putString(index.state().name()).putString(definition.kind());
            out.putString(index.origin().name());
            out.put(definition.ancestor() ? 1 : 0).putInt(definition.columns().size());
            for (IndexDefinition.Column column : definition.columns()) {
                out.putString(column.property()).putString(column.order().name());
            }
        }
        return out.toBytes();
    }

    static Indexes parse(byte[] bytes) {
        OrderedReader in = new OrderedReader(bytes, 0);
        int format = in.take();
        if (format != FORMAT && format != FORMAT_WITHOUT_ORIGIN) {
            throw in.damaged("format " + format + " of the list of indexes is unknown");
        }
        int lastId = in.takeInt();
        int count = in.takeInt();
        List<CompositeIndex> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int id = in.takeInt();
            CompositeIndex.State state = CompositeIndex.State.valueOf(in.takeString());
            String kind = in.takeString();
            CompositeIndex.Origin origin =
                    format == FORMAT_WITHOUT_ORIGIN
                            ? CompositeIndex.Origin.AUTOMATIC
                            : CompositeIndex.Origin.valueOf(in.takeString());
            boolean ancestor = in.take() == 1;
            int columnCount = in.takeInt();
            List<IndexDefinition.Column> columns = new ArrayList<>();
            for (int c = 0; c < columnCount; c++) {
                columns.add(
                        new IndexDefinition.Column(
                                in.takeString(), SortOrder.valueOf(in.takeString())));
            }
            IndexDefinition definition = new IndexDefinition(kind, ancestor, columns);
            all.add(new CompositeIndex(id, definition, state, origin));
        }
        return new Indexes(lastId, all);
    }
}
