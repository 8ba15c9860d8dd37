package petrichor.services.queues;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/**
 * A mapping in one of App Engine's configuration files. Errors name the line; an unknown field is
 * reported with the nearest known one. Aliases are limited, so that they cannot expand a small file
 * into a large one. Immutable.
 */
public final class YamlMapping {
    static final int TEXT_CHARACTERS_MAX = 1 << 20;
    private static final int ALIASES_MAX = 50;
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
     * Parses a file; an empty one has no fields.
     *
     * @param file name for errors
     */
    public static YamlMapping parse(String file, String text, Set<String> known) {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            throw wrong(file, 1, "the file has more than " + TEXT_CHARACTERS_MAX + " characters");
        }
        LoadSettings settings =
                LoadSettings.builder()
                        .setLabel(file)
                        .setAllowDuplicateKeys(false)
                        .setMaxAliasesForCollections(ALIASES_MAX)
                        .build();
        try {
            Node root = new Compose(settings).composeString(text).orElse(null);
            return root == null || isEmpty(root)
                    ? new YamlMapping(file, 1, Map.of())
                    : of(file, root, known);
        } catch (MarkedYamlEngineException malformed) {
            int at = malformed.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw wrong(file, at, String.valueOf(malformed.getProblem()));
        } catch (YamlEngineException malformed) {
            throw wrong(file, 1, String.valueOf(malformed.getMessage()));
        }
    }

    private static YamlMapping of(String file, Node node, Set<String> known) {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong(file, line(node), "one of " + new TreeSet<>(known) + " is expected here");
        }
        Map<String, Node> fields = new LinkedHashMap<>();
        for (NodeTuple field : mapping.getValue()) {
            String name = scalar(file, field.getKeyNode());
            if (!known.contains(name)) {
                String nearest = NearestName.of(name, known).orElse("");
                throw wrong(
                        file,
                        line(field.getKeyNode()),
                        "unknown field \"" + name + "\"; the nearest is \"" + nearest + '"');
            }
            if (fields.put(name, field.getValueNode()) != null) {
                throw wrong(file, line(field.getKeyNode()), "a second field \"" + name + '"');
            }
        }
        return new YamlMapping(file, line(node), fields);
    }

    /** The mappings of a list; empty if the field is missing. */
    public List<YamlMapping> items(String field, Set<String> known, int max) {
        Node node = fields.get(field);
        if (node == null || isEmpty(node)) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            throw wrong(file, line(node), field + " must be a list");
        }
        if (list.getValue().size() > max) {
            throw wrong(file, line(node), field + " has more than " + max + " items");
        }
        List<YamlMapping> items = new ArrayList<>();
        for (Node item : list.getValue()) {
            items.add(of(file, item, known));
        }
        return items;
    }

    public Optional<YamlMapping> mapping(String field, Set<String> known) {
        Node node = fields.get(field);
        return node == null || isEmpty(node)
                ? Optional.empty()
                : Optional.of(of(file, node, known));
    }

    public Optional<String> text(String field) {
        Node node = fields.get(field);
        return node == null || isEmpty(node) ? Optional.empty() : Optional.of(scalar(file, node));
    }

    public String required(String field) {
        return text(field).orElseThrow(() -> wrong(file, line, field + " is missing"));
    }

    public Optional<Boolean> flag(String field) {
        return read(
                field,
                "yes or no",
                text -> {
                    String lower = text.toLowerCase(java.util.Locale.ROOT);
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
            throw wrong(
                    file,
                    line(fields.get(field)),
                    field + " is \"" + text.get() + "\"; it must be " + expected);
        }
        return Optional.of(value);
    }

    /** Runs code whose failures belong to this mapping. */
    public <T> T checked(java.util.function.Supplier<T> work) {
        try {
            return work.get();
        } catch (PetrichorException refused) {
            throw wrong(file, line, String.valueOf(refused.getMessage()));
        }
    }

    private static String scalar(String file, Node node) {
        if (!(node instanceof ScalarNode scalar)) {
            throw wrong(file, line(node), "a single value is expected here");
        }
        return scalar.getValue();
    }

    private static boolean isEmpty(Node node) {
        return node instanceof ScalarNode scalar && scalar.getValue().isEmpty();
    }

    private static int line(@Nullable Node node) {
        return node == null ? 1 : node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private static PetrichorException wrong(String file, int line, String problem) {
        return PetrichorException.invalid(
                "{file}:{line} is not valid: {problem}.",
                "file",
                file,
                "line",
                line,
                "problem",
                problem);
    }
}
