package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition;
import petrichor.entities.Limits;
import petrichor.entities.SortOrder;

/**
 * Reads App Engine's {@code index.yaml}: a list of indexes, each with a kind, optionally an
 * ancestor, and a list of properties. Errors name the line. The numbers of aliases, indexes and
 * properties per index are limited, so that aliases cannot expand a small file into a large one.
 *
 * <p>The file only adds indexes. An index that is removed from the file is still maintained and
 * listed by {@code petrichor index list}: it may have been created automatically, or another
 * version of the application may still use it. Google also deletes indexes only on request ({@code
 * gcloud datastore indexes cleanup}).
 */
final class IndexYaml {
    /** Maximum number of aliases of lists and mappings. */
    static final int ALIASES_MAX = 50;

    static final int FILE_BYTES_MAX = 1 << 20;

    private static final Set<String> YES = Set.of("yes", "true");
    private static final Set<String> NO = Set.of("no", "false");

    private final Path file;

    private IndexYaml(Path file) {
        this.file = file;
    }

    static List<IndexDefinition> read(Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw PetrichorException.invalid(
                        "the file {file} is larger than " + FILE_BYTES_MAX + " bytes",
                        "file",
                        file);
            }
            return new IndexYaml(file).parsed(Files.readString(file));
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read indexes.file " + file, unreadable);
        }
    }

    private List<IndexDefinition> parsed(String text) {
        LoadSettings settings =
                LoadSettings.builder()
                        .setLabel(file.toString())
                        .setAllowDuplicateKeys(false)
                        .setMaxAliasesForCollections(ALIASES_MAX)
                        .build();
        try {
            Node root = new Compose(settings).composeString(text).orElse(null);
            return root == null || isEmpty(root)
                    ? List.of()
                    : indexes(fields(root, Set.of("indexes")).get("indexes"));
        } catch (MarkedYamlEngineException malformed) {
            int line = malformed.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw wrong(line, String.valueOf(malformed.getProblem()));
        } catch (YamlEngineException malformed) {
            throw wrong(1, String.valueOf(malformed.getMessage()));
        }
    }

    private List<IndexDefinition> indexes(@Nullable Node list) {
        List<IndexDefinition> definitions = new ArrayList<>();
        for (Node index : items(list, Limits.COMPOSITE_INDEXES_MAX)) {
            definitions.add(index(index));
        }
        return List.copyOf(definitions);
    }

    private IndexDefinition index(Node node) {
        Map<String, Node> fields = fields(node, Set.of("kind", "ancestor", "properties"));
        Node kind = fields.get("kind");
        if (kind == null) {
            throw wrong(line(node), "the index has no kind");
        }
        List<IndexDefinition.Column> columns = new ArrayList<>();
        for (Node property : items(fields.get("properties"), Limits.INDEX_COLUMNS_MAX)) {
            columns.add(column(property));
        }
        try {
            return new IndexDefinition(scalar(kind), isTrue(fields.get("ancestor")), columns);
        } catch (PetrichorException refused) {
            throw wrong(line(node), String.valueOf(refused.getMessage()));
        }
    }

    private boolean isTrue(@Nullable Node node) {
        if (node == null || NO.contains(scalar(node))) {
            return false;
        }
        if (!YES.contains(scalar(node))) {
            throw wrong(line(node), "ancestor is \"" + scalar(node) + '"');
        }
        return true;
    }

    private IndexDefinition.Column column(Node node) {
        Map<String, Node> fields = fields(node, Set.of("name", "direction"));
        Node name = fields.get("name");
        if (name == null) {
            throw wrong(line(node), "the property has no name");
        }
        Node direction = fields.get("direction");
        String order = direction == null ? "asc" : scalar(direction);
        if (!order.equals("asc") && !order.equals("desc")) {
            throw wrong(
                    line(direction == null ? node : direction), "direction is \"" + order + '"');
        }
        return new IndexDefinition.Column(
                scalar(name), order.equals("asc") ? SortOrder.ASCENDING : SortOrder.DESCENDING);
    }

    private Map<String, Node> fields(Node node, Set<String> known) {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong(line(node), "one of " + known + " is expected here");
        }
        Map<String, Node> fields = new HashMap<>();
        for (NodeTuple field : mapping.getValue()) {
            String name = scalar(field.getKeyNode());
            if (!known.contains(name)) {
                throw wrong(line(field.getKeyNode()), "unknown field \"" + name + '"');
            }
            if (fields.put(name, field.getValueNode()) != null) {
                throw wrong(line(field.getKeyNode()), "a second field \"" + name + '"');
            }
        }
        return fields;
    }

    private List<Node> items(@Nullable Node node, int max) {
        if (node == null || isEmpty(node)) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            throw wrong(line(node), "a list is expected here");
        }
        if (list.getValue().size() > max) {
            throw wrong(line(node), "the list has more than " + max + " items");
        }
        return list.getValue();
    }

    private String scalar(Node node) {
        if (!(node instanceof ScalarNode scalar)) {
            throw wrong(line(node), "a single value is expected here");
        }
        return scalar.getValue();
    }

    private static boolean isEmpty(Node node) {
        return node instanceof ScalarNode scalar && scalar.getValue().isEmpty();
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private PetrichorException wrong(int line, String problem) {
        return PetrichorException.invalid(
                "{file}:{line} is not valid in index.yaml: {problem}; an index has kind, ancestor"
                        + " (yes or no) and properties with name and direction (asc or desc)",
                "file",
                file,
                "line",
                line,
                "problem",
                problem);
    }
}
