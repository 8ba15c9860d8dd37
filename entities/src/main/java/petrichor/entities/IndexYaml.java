package petrichor.entities;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import petrichor.yaml.YamlMapping;

/**
 * Reads App Engine's {@code index.yaml}: a list of indexes, each with a kind, optionally an
 * ancestor, and a list of properties.
 *
 * <p>The file only adds indexes. An index that is removed from the file is still maintained and
 * listed by {@code petrichor index list}: it may have been created automatically, or another
 * version of the application may still use it. Google also deletes indexes only on request ({@code
 * gcloud datastore indexes cleanup}).
 */
public final class IndexYaml {
    private static final Set<String> FILE = Set.of("indexes");
    private static final Set<String> INDEX = Set.of("kind", "ancestor", "properties");
    private static final Set<String> PROPERTY = Set.of("name", "direction");

    private IndexYaml() {}

    /**
     * The indexes of a file. INVALID_ARGUMENT, with the line, if it is not valid.
     *
     * @param file name for errors
     */
    public static List<IndexDefinition> parse(String file, String text) {
        List<IndexDefinition> definitions = new ArrayList<>();
        YamlMapping root = YamlMapping.parse(file, text, FILE);
        for (YamlMapping entry : root.items("indexes", INDEX, Limits.COMPOSITE_INDEXES_MAX)) {
            definitions.add(entry.checked(() -> index(entry)));
        }
        return List.copyOf(definitions);
    }

    private static IndexDefinition index(YamlMapping entry) {
        String kind = entry.required("kind");
        List<IndexDefinition.Column> columns = new ArrayList<>();
        for (YamlMapping property : entry.items("properties", PROPERTY, Limits.INDEX_COLUMNS_MAX)) {
            columns.add(
                    new IndexDefinition.Column(
                            property.required("name"),
                            property.read("direction", "asc or desc", IndexYaml::order)
                                    .orElse(SortOrder.ASCENDING)));
        }
        return new IndexDefinition(kind, entry.flag("ancestor").orElse(false), columns);
    }

    private static SortOrder order(String text) {
        return switch (text) {
            case "asc" -> SortOrder.ASCENDING;
            case "desc" -> SortOrder.DESCENDING;
            default -> throw new IllegalArgumentException(text);
        };
    }
}
