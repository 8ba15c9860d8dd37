package petrichor.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import petrichor.base.PetrichorException;
import petrichor.entities.KindPlacement.Subject;
import petrichor.kv.StoreUrl;

/**
 * The sections {@code [stores.NAME]} and {@code [placement]} of the configuration file: further
 * stores, and the data placed in them. Their names are chosen by the user, so they are not {@link
 * ConfigKey}s, and environment variables and flags cannot set them.
 *
 * @param stores by name, in the order of the file
 * @param rules which data is placed in which store
 */
public record PlacementSettings(Map<String, Store> stores, Map<Subject, Rule> rules) {
    /** All data is in the home store. */
    public static final PlacementSettings NONE = new PlacementSettings(Map.of(), Map.of());

    static final String STORES = "stores";
    static final String PLACEMENT = "placement";

    private static final String HOME = "home";
    private static final String RING = "ring";
    private static final String URL = "url";
    private static final String PASSWORD_FILE = "password-file";

    /**
     * A store in addition to the home store.
     *
     * @param passwordFile file whose first line is the password, unless the address contains it
     */
    public record Store(StoreUrl url, Optional<Path> passwordFile, String origin) {
        public StoreUrl address() {
            return passwordFile
                    .map(file -> url.withPassword(StoreAddress.firstLine(file)))
                    .orElse(url);
        }
    }

    /** Places data in the store of that name. */
    public record Rule(String store, String origin) {}

    /** A displayable line of these sections. */
    public record Line(String section, String key, String value, String origin) {}

    public PlacementSettings {
        stores = Collections.unmodifiableMap(new LinkedHashMap<>(stores));
        rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    }

    static boolean isSection(String dotted) {
        return dotted.equals(STORES)
                || dotted.startsWith(STORES + ".")
                || dotted.equals(PLACEMENT)
                || dotted.startsWith(PLACEMENT + ".");
    }

    static PlacementSettings read(TomlParseResult toml, Path file) {
        Map<String, Store> stores = new LinkedHashMap<>();
        for (String name : keys(toml, STORES, file)) {
            stores.put(name, store(toml, name, file));
        }
        Map<Subject, Rule> rules = new LinkedHashMap<>();
        for (String key : keys(toml, PLACEMENT, file)) {
            List<String> path = List.of(PLACEMENT, key);
            String origin = origin(toml, path, file);
            if (!(toml.get(path) instanceof String store)) {
                throw refused(
                        "the placement of \"" + key + "\" must be the name of a store", origin);
            }
            if (!stores.containsKey(store)) {
                throw refused(
                        "\""
                                + key
                                + "\" is placed in the store \""
                                + store
                                + "\", which is not configured: "
                                + (stores.isEmpty()
                                        ? "add a section [stores." + store + "] with its url"
                                        : "configured are " + String.join(", ", stores.keySet())),
                        origin);
            }
            if (rules.put(subject(key, origin), new Rule(store, origin)) != null) {
                throw refused("\"" + key + "\" is placed twice", origin);
            }
        }
        return new PlacementSettings(stores, rules);
    }

    private static Set<String> keys(TomlParseResult toml, String section, Path file) {
        Object value = toml.get(List.of(section));
        if (value == null) {
            return Set.of();
        }
        if (value instanceof TomlTable table) {
            return new TreeSet<>(table.keySet());
        }
        throw refused(
                section + " must be a section, [" + section + "…]",
                origin(toml, List.of(section), file));
    }

    private static Store store(TomlParseResult toml, String name, Path file) {
        List<String> path = List.of(STORES, name);
        String origin = origin(toml, path, file);
        if (name.equals(HOME)) {
            throw refused(
                    "a store must not be named \"home\": that is the name of the store in [store]",
                    origin);
        }
        if (name.equals(RING)) {
            throw refused(
                    "a store must not be named \"ring\": that is where a database with a ring is;"
                            + " choose another name",
                    origin);
        }
        if (!name.matches("[a-z][a-z0-9-]{0,39}")) {
            throw refused(
                    "\""
                            + name
                            + "\" cannot name a store: use 1 to 40 of a-z, 0-9 and -, starting"
                            + " with a letter",
                    origin);
        }
        if (!(toml.get(path) instanceof TomlTable table)) {
            throw refused("configure the store in a section [stores." + name + "]", origin);
        }
        for (String key : table.keySet()) {
            if (!List.of(URL, PASSWORD_FILE).contains(key)) {
                throw refused(
                        "unknown key stores."
                                + name
                                + "."
                                + key
                                + "; a store has url and password-file",
                        origin(toml, List.of(STORES, name, key), file));
            }
        }
        String url = text(table, URL, origin);
        if (url == null) {
            throw refused("[stores." + name + "] has no url", origin);
        }
        String password = text(table, PASSWORD_FILE, origin);
        Path folder = file.toAbsolutePath().getParent();
        return new Store(
                StoreUrl.parse(url),
                Optional.ofNullable(password)
                        .map(at -> folder == null ? Path.of(at) : folder.resolve(at)),
                origin);
    }

    private static @Nullable String text(TomlTable table, String key, String origin) {
        Object value = table.get(List.of(key));
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw refused(key + " of a store must be a string", origin);
    }

    private static Subject subject(String key, String origin) {
        try {
            return Subject.parse(key);
        } catch (PetrichorException unclear) {
            throw refused(Objects.requireNonNull(unclear.getMessage()), origin);
        }
    }

    private static String origin(TomlParseResult toml, List<String> path, Path file) {
        TomlPosition position = toml.inputPositionOf(path);
        return "file " + file + ":" + (position == null ? 1 : position.line());
    }

    private static PetrichorException refused(String what, String origin) {
        return PetrichorException.invalid(
                "{problem} ({origin})", "problem", what, "origin", origin);
    }

    /** All lines, to show the configuration; addresses may contain passwords. */
    public List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        stores.forEach(
                (name, store) -> {
                    String section = STORES + "." + name;
                    lines.add(new Line(section, URL, Setting.HIDDEN, store.origin));
                    store.passwordFile.ifPresent(
                            path ->
                                    lines.add(
                                            new Line(
                                                    section,
                                                    PASSWORD_FILE,
                                                    path.toString(),
                                                    store.origin)));
                });
        rules.forEach(
                (subject, rule) ->
                        lines.add(
                                new Line(PLACEMENT, subject.toString(), rule.store, rule.origin)));
        return lines;
    }
}
