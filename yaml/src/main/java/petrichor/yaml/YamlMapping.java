package petrichor.yaml;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/**
 * A mapping in one of App Engine's configuration files. Errors are INVALID_ARGUMENT and name the
 * file and the line; an unknown field is reported with the nearest known one. A field without a
 * value counts as missing. Immutable.
 *
 * <p>Limits: 1,048,576 characters, 32 nested lists and mappings, 50 aliases of lists and mappings,
 * names of 200 characters.
 */
public final class YamlMapping {
    /** The search for the nearest name takes time and memory in proportion. */
    static final int NAME_CHARACTERS_MAX = 200;

    private static final Set<String> YES = Set.of("yes", "true", "on");
    private static final Set<String> NO = Set.of("no", "false", "off");

    private final String file;
    private final int line;
    private final Map<String, Node> fields;

    private YamlMapping(String file, int line, Map<String, Node> fields) {
        this.file = file;
        this.line = line;
        this.fields = fields;
    }

    /**
     * Parses a file of one document; an empty one has no fields.
     *
     * @param file name for errors
     */
    public static YamlMapping parse(String file, String text, Set<String> known) {
        Node root = YamlTree.compose(file, text).orElse(null);
        return root == null || isEmpty(root)
                ? new YamlMapping(file, 1, Map.of())
                : of(file, root, known);
    }

    private static YamlMapping of(String file, Node node, Set<String> known) {
        if (!(node instanceof MappingNode mapping)) {
            String names = String.join(", ", new TreeSet<>(known));
            throw YamlTree.wrong(file, YamlTree.line(node), "one of " + names + " is expected");
        }
        Map<String, Node> fields = new LinkedHashMap<>();
        for (NodeTuple field : mapping.getValue()) {
            String name = name(file, field.getKeyNode());
            if (!known.contains(name)) {
                String nearest = NearestName.of(name, known).orElse("");
                throw YamlTree.wrong(
                        file,
                        YamlTree.line(field.getKeyNode()),
                        "unknown field \"" + name + "\"; the nearest is \"" + nearest + '"');
            }
            put(file, fields, name, field);
        }
        return new YamlMapping(file, YamlTree.line(node), fields);
    }

    private static void put(String file, Map<String, Node> fields, String name, NodeTuple field) {
        if (fields.put(name, field.getValueNode()) != null) {
            throw YamlTree.wrong(
                    file, YamlTree.line(field.getKeyNode()), "a second field \"" + name + '"');
        }
    }

    private static String name(String file, Node key) {
        String name = scalar(file, key).text();
        if (name.length() > NAME_CHARACTERS_MAX) {
            throw YamlTree.wrong(
                    file,
                    YamlTree.line(key),
                    "a name has more than " + NAME_CHARACTERS_MAX + " characters");
        }
        return name;
    }

    /** Names of the fields that are present, in the order of the file; a value may be missing. */
    public Set<String> names() {
        return Collections.unmodifiableSet(fields.keySet());
    }

    /** Whether a field has a value. */
    public boolean has(String field) {
        return value(field) != null;
    }

    private @Nullable Node value(String field) {
        Node node = fields.get(field);
        return node == null || isEmpty(node) ? null : node;
    }

    /** The mappings of a list; empty if the field is missing. */
    public List<YamlMapping> items(String field, Set<String> known, int max) {
        List<YamlMapping> items = new ArrayList<>();
        for (Node item : list(field, max)) {
            items.add(of(file, item, known));
        }
        return items;
    }

    private List<Node> list(String field, int max) {
        Node node = value(field);
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            throw invalid(field, field + " must be a list");
        }
        if (list.getValue().size() > max) {
            throw invalid(field, field + " has more than " + max + " items");
        }
        return list.getValue();
    }

    /** The values of a list, or a single value; empty if the field is missing. */
    public List<YamlScalar> scalars(String field, int max) {
        if (value(field) instanceof ScalarNode single) {
            return List.of(scalar(file, single));
        }
        List<YamlScalar> scalars = new ArrayList<>();
        for (Node item : list(field, max)) {
            scalars.add(scalar(file, item));
        }
        return scalars;
    }

    public Optional<YamlMapping> mapping(String field, Set<String> known) {
        Node node = value(field);
        return node == null ? Optional.empty() : Optional.of(of(file, node, known));
    }

    /** The names and values of a mapping whose names are free; empty if the field is missing. */
    public Map<String, YamlScalar> entries(String field, int max) {
        Node node = value(field);
        if (node == null) {
            return Map.of();
        }
        if (!(node instanceof MappingNode mapping)) {
            throw invalid(field, field + " must be a mapping of names to values");
        }
        if (mapping.getValue().size() > max) {
            throw invalid(field, field + " has more than " + max + " names");
        }
        Map<String, Node> nodes = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            put(file, nodes, name(file, entry.getKeyNode()), entry);
        }
        Map<String, YamlScalar> entries = new LinkedHashMap<>();
        nodes.forEach((name, entry) -> entries.put(name, scalar(file, entry)));
        return entries;
    }

    /** A single value as it is written. */
    public Optional<YamlScalar> scalar(String field) {
        Node node = value(field);
        return node == null ? Optional.empty() : Optional.of(scalar(file, node));
    }

    public Optional<String> text(String field) {
        return scalar(field).map(YamlScalar::text);
    }

    public String required(String field) {
        return text(field).orElseThrow(() -> YamlTree.wrong(file, line, field + " is missing"));
    }

    public Optional<Boolean> flag(String field) {
        return read(
                field,
                "yes or no",
                text -> {
                    String lower = text.toLowerCase(Locale.ROOT);
                    return YES.contains(lower) ? Boolean.TRUE : NO.contains(lower) ? false : null;
                });
    }

    public Optional<Integer> integer(String field) {
        return read(field, "a number", Integer::valueOf);
    }

    public Optional<Double> number(String field) {
        return read(field, "a number", Double::valueOf);
    }

    /**
     * A value that needs parsing.
     *
     * @param expected what the value must be, for errors
     * @param parse returns null or throws IllegalArgumentException if the text is not valid
     */
    public <T> Optional<T> read(
            String field, String expected, Function<String, @Nullable T> parse) {
        Optional<String> text = text(field);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        T value = null;
        try {
            value = parse.apply(text.get());
        } catch (IllegalArgumentException notValid) {
            // Reported below.
        }
        if (value == null) {
            throw invalid(field, field + " is \"" + text.get() + "\"; it must be " + expected);
        }
        return Optional.of(value);
    }

    /** Runs code whose failures belong to this mapping, unless they name a line themselves. */
    public <T> T checked(Supplier<T> work) {
        return checked(line, work);
    }

    /** Runs code whose failures belong to a value. */
    public <T> T checked(YamlScalar value, Supplier<T> work) {
        return checked(value.line(), work);
    }

    private <T> T checked(int at, Supplier<T> work) {
        try {
            return work.get();
        } catch (PetrichorException refused) {
            if (YamlTree.hasLine(refused)) {
                throw refused;
            }
            String problem = String.valueOf(refused.getMessage());
            boolean sentence = problem.endsWith(".");
            throw YamlTree.wrong(
                    file, at, sentence ? problem.substring(0, problem.length() - 1) : problem);
        }
    }

    /** Counted from 1. */
    public int line() {
        return line;
    }

    /** The line of a field's value; that of the mapping if the field is missing. */
    public int line(String field) {
        Node node = fields.get(field);
        return node == null ? line : YamlTree.line(node);
    }

    /** The failure of a field, with its line. */
    public PetrichorException invalid(String field, String problem) {
        return YamlTree.wrong(file, line(field), problem);
    }

    /** The failure of a value, with its line. */
    public PetrichorException invalid(YamlScalar value, String problem) {
        return YamlTree.wrong(file, value.line(), problem);
    }

    private static YamlScalar scalar(String file, Node node) {
        if (!(node instanceof ScalarNode scalar)) {
            throw YamlTree.wrong(file, YamlTree.line(node), "a single value is expected here");
        }
        return new YamlScalar(
                scalar.getValue(),
                scalar.getScalarStyle() == ScalarStyle.PLAIN,
                YamlTree.line(node));
    }

    private static boolean isEmpty(Node node) {
        return node instanceof ScalarNode scalar
                && (scalar.getValue().isEmpty() || scalar("", node).isNull());
    }
}
